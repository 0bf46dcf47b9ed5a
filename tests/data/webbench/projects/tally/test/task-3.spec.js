const { test } = require('@playwright/test')
const { expectReads, press } = require('@web-bench/test-util')

test('the total outlives the page', async ({ page }) => {
  await page.goto('/index.html')
  await press(page, '#add', 2)
  await page.reload()
  await expectReads(page, '#total', '2')
})

for (const kept of ['many', '-4', '1.5']) {
  test(`a kept "${kept}" counts as 0`, async ({ page }) => {
    await page.addInitScript((value) => localStorage.setItem('tally', value), kept)
    await page.goto('/index.html')
    await expectReads(page, '#total', '0')
  })
}
