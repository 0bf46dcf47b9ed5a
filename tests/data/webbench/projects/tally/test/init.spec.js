const { test, expect } = require('@playwright/test')
const { expectReads } = require('@web-bench/test-util')

test.beforeEach(async ({ page }) => {
  await page.goto('/index.html')
})

test('the page has its title', async ({ page }) => {
  await expect(page).toHaveTitle('Tally')
})

test('the total starts at 0', async ({ page }) => {
  await expectReads(page, 'output#total', '0')
  await expectReads(page, 'button#add', 'Add one')
})
