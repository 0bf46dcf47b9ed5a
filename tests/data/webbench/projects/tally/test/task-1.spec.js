const { test } = require('@playwright/test')
const { expectReads, press } = require('@web-bench/test-util')

test.beforeEach(async ({ page }) => {
  await page.goto('/index.html')
})

test('one press counts one', async ({ page }) => {
  await press(page, '#add')
  await expectReads(page, '#total', '1')
})

test('three presses count three', async ({ page }) => {
  await press(page, '#add', 3)
  await expectReads(page, '#total', '3')
})
