const { test } = require('@playwright/test'
test('one', async () => {})
