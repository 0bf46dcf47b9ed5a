const { test } = require('@playwright/test')
require('@web-bench/no-such-package')
test('one', async () => {})
