// Skipped, expected to fail, in series.
const { test, expect } = require('@playwright/test')

test.skip('left out', async () => {})
test.fail('fails as it should', async () => {
  expect(1).toBe(2)
})
test('passes', async () => {
  console.log('<b>said by the spec</b>')
  expect(1).toBe(1)
})
test.describe.serial('one by one', () => {
  test('one', async () => {})
  test('two', async () => {
    expect(1).toBe(2)
  })
  test('three', async () => {})
})
