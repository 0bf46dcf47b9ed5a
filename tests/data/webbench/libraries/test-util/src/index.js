const { expect } = require('@playwright/test')

/** Press what `selector` names `times` times. */
async function press(page, selector, times = 1) {
  for (let n = 0; n < times; n += 1) await page.locator(selector).click()
}

/** Expect what `selector` names to read `text`, and nothing else. */
async function expectReads(page, selector, text) {
  await expect(page.locator(selector)).toHaveText(text)
}

module.exports = { press, expectReads }
