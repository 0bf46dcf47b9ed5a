// Files of the workspace that are loaded while a test runs.
const { test } = require('@playwright/test')
const path = require('path')

for (const name of ['faulty.js', 'missing.js', 'throws.js', 'exits.js'])
  test(name, async () => {
    require(path.join(process.env.EVAL_PROJECT_ROOT, name))
  })
test('import', async () => {
  await import(path.join(process.env.EVAL_PROJECT_ROOT, 'missing.mjs'))
})
test('read', async () => {
  require('fs').readFileSync(path.join(process.env.EVAL_PROJECT_ROOT, 'missing.txt'))
})
test('killed', async () => {
  process.kill(process.pid, 'SIGKILL')
})
