import { test, expect } from '@playwright/test'
import { names } from './util/plants.js'

test.beforeEach(async ({ page }) => {
  await page.goto('/index.html')
})

test('the list narrows to what is written', async ({ page }) => {
  await page.locator('#find').fill('FI')
  await expect(names(page)).toHaveText([/^Sea fig/])
})

test('an empty field shows all again', async ({ page }) => {
  await page.locator('#find').fill('cac')
  await expect(names(page)).toHaveCount(1)
  await page.locator('#find').fill('')
  await expect(names(page)).toHaveCount(4)
})
