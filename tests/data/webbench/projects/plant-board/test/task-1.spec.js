import { test, expect } from '@playwright/test'
import { names, plants, read } from './util/plants.js'

test('every plant has its row', async ({ page }) => {
  await page.goto('/index.html')
  await expect(names(page)).toHaveText(plants.map(({ name, days }) => `${name}, every ${days} days`))
})

test('board.js imports the plants', () => {
  expect(read('board.js')).toContain('assets/plants.json')
})
