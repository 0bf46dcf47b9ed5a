const { test } = require('@playwright/test')
test('twice', async () => {})
test('twice', async () => {})
