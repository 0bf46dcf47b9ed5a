// What is printed and found is no text.
const { test, expect } = require('@playwright/test')

test('bad bytes', async () => {
  process.stdout.write(Buffer.from([0x66, 0xff, 0xfe, 0x0a]))
  expect('half a pair: \ud83d').toBe('\u0000\u001b[31mred\u001b[39m')
})
