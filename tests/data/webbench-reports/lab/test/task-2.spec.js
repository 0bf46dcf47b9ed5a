// What is acted on is not there, or does not get ready; hooks; what the spec's own code meets.
const { test, expect } = require('@playwright/test')

test('click, missing', async ({ page }) => {
  await page.goto('/')
  await page.locator('#s3cret').click()
})
test('click, covered', async ({ page }) => {
  await page.goto('/')
  await page.locator('#under').click()
})
test('click, disabled', async ({ page }) => {
  await page.goto('/')
  await page.locator('#off').click()
})
test('click, own limit', async ({ page }) => {
  await page.goto('/')
  await page.locator('#s3cret').click({ timeout: 200 })
})
test('click, several', async ({ page }) => {
  await page.goto('/')
  await page.locator('li').click()
})
test('fill', async ({ page }) => {
  await page.goto('/')
  await page.fill('#s3cret', 'x')
})
test('fill, no input', async ({ page }) => {
  await page.goto('/')
  await page.fill('h1', 'x')
})
test('evaluate, endless', async ({ page }) => {
  await page.goto('/')
  await page.evaluate(() => {
    for (;;);
  })
})
test('evaluate, throws', async ({ page }) => {
  await page.goto('/')
  await page.evaluate(() => document.querySelector('#s3cret').value)
})
test('dialog', async ({ page }) => {
  await page.goto('/')
  await page.waitForEvent('dialog', { timeout: 200 })
})
test('dialog, whole test', async ({ page }) => {
  await page.goto('/')
  await page.waitForEvent('dialog')
})
test('wait for url', async ({ page }) => {
  await page.goto('/')
  await page.waitForURL('**/s3cret', { timeout: 200 })
})
test('wait for selector', async ({ page }) => {
  await page.goto('/')
  await page.waitForSelector('#s3cret', { timeout: 200 })
})
test('wait for function', async ({ page }) => {
  await page.goto('/')
  await page.waitForFunction(() => window.s3cret, null, { timeout: 200 })
})
test('goto, hangs', async ({ page }) => {
  await page.goto('/hangs')
})
test('own code', async ({ page }) => {
  await page.goto('/')
  const box = await page.locator('#hidden').boundingBox()
  expect(box.width).toBe(3)
})
test('own error', async () => {
  throw new Error('look at #s3cret')
})
test('no error at all', async () => {
  throw 'look at #s3cret'
})
test('sleeps', async () => {
  await new Promise((done) => setTimeout(done, 4_000))
})
test('window closes itself', async ({ page }) => {
  await page.goto('/')
  await page.evaluate(() => window.close())
  await page.locator('h1').click()
})
test.describe('before each', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/')
    await page.locator('#s3cret').click()
  })
  test('never gets there', async () => {})
})
test.describe('before all', () => {
  test.beforeAll(async () => {
    expect(1).toBe(2)
  })
  test('first', async () => {})
  test('second', async () => {})
})
test.describe('after each', () => {
  test.afterEach(async () => {
    expect(1).toBe(2)
  })
  test('was fine', async () => {})
})
test.describe('after all', () => {
  test.afterAll(async () => {
    expect(1).toBe(2)
  })
  test('was fine as well', async () => {})
})
