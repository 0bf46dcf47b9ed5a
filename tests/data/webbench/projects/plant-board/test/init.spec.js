import { test, expect } from '@playwright/test'
import { has } from './util/plants.js'

test('graded as an evaluation, not as CI', () => {
  expect(process.env.CI).toBeUndefined()
  expect(process.env.EVAL).toBe('true')
  expect(process.env.EVAL_TASK).toMatch(/^(init|task-\d+)$/)
})

test('the assets lie in the site, the drafts are gone', () => {
  expect(has('assets/plants.json')).toBe(true)
  expect(has('drafts')).toBe(false)
})

test('the page is there', async ({ page }) => {
  await page.goto('/index.html')
  await expect(page.locator('h1')).toHaveText('Plant board')
})
