// The page or the browser goes down.
const { test, expect } = require('@playwright/test')

test('page crashes in goto', async ({ page }) => {
  await page.goto('/')
  const session = await page.context().newCDPSession(page)
  setTimeout(() => session.send('Page.crash').catch(() => {}), 100)
  await page.goto('/hangs')
})
test('page crashes later', async ({ page }) => {
  await page.goto('/')
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => {})
  await page.waitForEvent('crash')
  await page.locator('h1').click()
})
test('page crashes under an expectation', async ({ page }) => {
  await page.goto('/')
  const session = await page.context().newCDPSession(page)
  setTimeout(() => session.send('Page.crash').catch(() => {}), 50)
  await expect(page.locator('#s3cret')).toBeVisible({ timeout: 1_000 })
})
test('browser goes', async ({ page, browser }) => {
  await page.goto('/')
  const session = await browser.newBrowserCDPSession()
  session.send('Browser.crash').catch(() => {})
  await page.waitForEvent('close').catch(() => {})
  await page.locator('h1').click()
})
