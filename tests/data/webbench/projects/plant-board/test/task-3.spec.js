import { test, expect } from '@playwright/test'
import { expectReads, press } from '../../../libraries/test-util/src/index.js'
import { names } from './util/plants.js'

test.beforeEach(async ({ page }) => {
  await page.goto('/index.html')
})

test('a press waters, another takes it back', async ({ page }) => {
  await expectReads(page, 'p#left', '4 to water')
  await press(page, '#plants li:nth-child(2)')
  await expect(names(page).nth(1)).toHaveClass('watered')
  await expectReads(page, 'p#left', '3 to water')
  await press(page, '#plants li:nth-child(2)')
  await expectReads(page, 'p#left', '4 to water')
})

test('watered plants stay watered while looked for', async ({ page }) => {
  await press(page, '#plants li:nth-child(1)')
  await page.locator('#find').fill('basil')
  await expectReads(page, 'p#left', '3 to water')
  await page.locator('#find').fill('fern')
  await expect(names(page)).toHaveClass('watered')
})
