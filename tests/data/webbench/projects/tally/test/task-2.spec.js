const { test, expect } = require('@playwright/test')
const { expectReads, press } = require('@web-bench/test-util')

test.beforeEach(async ({ page }) => {
  await page.goto('/index.html')
})

test('nothing to undo at 0', async ({ page }) => {
  await expectReads(page, 'button#undo', 'Undo')
  await expect(page.locator('#undo')).toBeDisabled()
})

test('undo takes one back', async ({ page }) => {
  await press(page, '#add', 2)
  await press(page, '#undo')
  await expectReads(page, '#total', '1')
})

test('back at 0 there is nothing to undo', async ({ page }) => {
  await press(page, '#add')
  await press(page, '#undo')
  await expect(page.locator('#undo')).toBeDisabled()
})
