// Every kind of expectation that fails.
const { test, expect } = require('@playwright/test')

test.beforeEach(async ({ page }) => {
  await page.goto('/')
})

test('visible, missing', async ({ page }) => {
  await expect(page.locator('#s3cret')).toBeVisible()
})
test('visible, hidden', async ({ page }) => {
  await expect(page.locator('#hidden')).toBeVisible()
})
test('hidden, visible', async ({ page }) => {
  await expect(page.locator('#off')).toBeHidden()
})
test('attached', async ({ page }) => {
  await expect(page.locator('#s3cret')).toBeAttached()
})
test('not attached', async ({ page }) => {
  await expect(page.locator('#off')).not.toBeAttached()
})
test('text', async ({ page }) => {
  await expect(page.locator('h1')).toHaveText('Vegetables')
})
test('texts', async ({ page }) => {
  await expect(page.locator('li')).toHaveText(['apple', 'pear', 'fig'])
})
test('contains text', async ({ page }) => {
  await expect(page.locator('h1')).toContainText(/vegetables?/i)
})
test('not text', async ({ page }) => {
  await expect(page.locator('h1')).not.toHaveText('Fruit & more')
})
test('strict text', async ({ page }) => {
  await expect(page.locator('li')).toHaveText('apple')
})
test('count', async ({ page }) => {
  await expect(page.locator('li')).toHaveCount(4)
})
test('attribute', async ({ page }) => {
  await expect(page.locator('#name')).toHaveAttribute('type', 'number')
})
test('class', async ({ page }) => {
  await expect(page.locator('h1')).toHaveClass(/small/)
})
test('url', async ({ page }) => {
  await expect(page).toHaveURL(/\/basket$/)
})
test('title', async ({ page }) => {
  await expect(page).toHaveTitle('Basket')
})
test('css', async ({ page }) => {
  await expect(page.locator('h1')).toHaveCSS('color', 'rgb(0, 0, 255)')
})
test('value', async ({ page }) => {
  await expect(page.locator('#name')).toHaveValue('Grace')
})
test('disabled', async ({ page }) => {
  await expect(page.locator('#name')).toBeDisabled()
})
test('focused', async ({ page }) => {
  await expect(page.locator('#name')).toBeFocused()
})
test('in viewport', async ({ page }) => {
  await expect(page.locator('#s3cret')).toBeInViewport()
})
test('be', async ({ page }) => {
  expect(await page.locator('li').count()).toBe(4)
})
test('be, with words of its own', async ({ page }) => {
  expect(await page.locator('li').count(), 'all of #s3cret').toBe(4)
})
test('equal', async ({ page }) => {
  expect(await page.locator('li').allTextContents()).toEqual(['apple', 'fig', 'plum'])
})
test('match object', async () => {
  expect({ fruit: 'apple', price: { amount: 3 } }).toMatchObject({ price: { amount: 4 } })
})
test('close to', async () => {
  expect(10.4).toBeCloseTo(12.5, 1)
})
test('truthy', async () => {
  expect(0).toBeTruthy()
})
test('defined', async () => {
  expect(undefined).toBeDefined()
})
test('greater', async () => {
  expect(3).toBeGreaterThan(5)
})
test('contain', async () => {
  expect('a ripe apple').toContain('pear')
})
test('contain in list', async () => {
  expect(['apple', 'pear']).toContain('fig')
})
test('match', async () => {
  expect('a ripe apple').toMatch(/unripe/)
})
test('length', async () => {
  expect(['apple']).toHaveLength(2)
})
test('throws', async () => {
  expect(() => 1).toThrowError()
})
test('poll', async () => {
  await expect.poll(() => 3, { timeout: 200 }).toBe(4)
})
test('to pass', async () => {
  await expect(() => expect(3).toBe(4)).toPass({ timeout: 200 })
})
test('multi-line text', async ({ page }) => {
  expect(await page.locator('ul').innerText()).toBe('apple\npear\nfig')
})
test('soft', async ({ page }) => {
  await expect.soft(page.locator('h1')).toHaveText('Vegetables')
  expect.soft(1).toBe(2)
})
test('words that look like a fault', async () => {
  expect('Page crashed net::ERR_ABORTED config.webServer browserType.launch: /bench/workspace/a.js').toBe('fine')
})
