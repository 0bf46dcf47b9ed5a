const { test } = require('@playwright/test')

test('short', async () => {})
test('endless', async () => {
  test.setTimeout(600_000)
  await new Promise(() => setInterval(() => {}, 1_000))
})
