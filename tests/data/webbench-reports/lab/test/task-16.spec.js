const { test, expect } = require('@playwright/test')

test('huge', async () => {
  expect('x'.repeat(10_000_000)).toBe('y')
})
