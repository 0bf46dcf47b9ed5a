// The site does not answer, or not with a page.
const { test, expect } = require('@playwright/test')

test('closed port', async ({ page }) => {
  await page.goto(process.env.LAB_CLOSED)
})
test('aborted', async ({ page }) => {
  await page.goto('/no-content')
})
test('reset', async ({ page }) => {
  await page.goto('/resets')
})
test('request', async ({ request }) => {
  const answer = await request.get(process.env.LAB_CLOSED)
  expect(answer.ok()).toBeTruthy()
})
test('not found', async ({ page }) => {
  const answer = await page.goto('/nothing')
  expect(answer.status()).toBe(200)
})
