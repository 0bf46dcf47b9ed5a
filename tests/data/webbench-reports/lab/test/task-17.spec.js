// An error that belongs to no test.
const { test } = require('@playwright/test')

test('leaves a promise behind', async () => {
  setTimeout(() => {
    throw new Error('too late')
  }, 0)
})
