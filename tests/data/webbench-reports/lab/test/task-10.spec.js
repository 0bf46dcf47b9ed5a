const { test } = require('@playwright/test')
const path = require('path')

require(path.join(process.env.EVAL_PROJECT_ROOT, 'throws.js'))

test('one', async () => {})
