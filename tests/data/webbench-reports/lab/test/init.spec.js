const { test, expect } = require('@playwright/test')

test('shows the heading', async ({ page }) => {
  await page.goto('/')
  await expect(page.locator('h1')).toBeVisible()
})

test.describe('list', () => {
  test('has three fruits', async ({ page }) => {
    await page.goto('/')
    await expect(page.locator('li')).toHaveCount(3)
  })
})
