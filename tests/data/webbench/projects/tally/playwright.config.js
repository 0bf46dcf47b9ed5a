const { defineConfig, devices } = require('@playwright/test')

const { CI, EVAL_PROJECT_PORT, EVAL_PROJECT_ROOT, IS_EVAL_PRODUCTION, MAX_TEST_WORKERS } = process.env
const site = EVAL_PROJECT_ROOT || 'src'
const address = `http://127.0.0.1:${EVAL_PROJECT_PORT || 3411}`

module.exports = defineConfig({
  testDir: './test',
  fullyParallel: true,
  timeout: IS_EVAL_PRODUCTION ? 30_000 : 3_000,
  expect: { timeout: IS_EVAL_PRODUCTION ? 2_000 : 1_000 },
  retries: CI ? 2 : 0,
  reporter: CI ? 'html' : 'line',
  workers: MAX_TEST_WORKERS ? Number(MAX_TEST_WORKERS) : undefined,
  use: { baseURL: address },
  webServer: {
    command: `npx serve ${site} -p ${EVAL_PROJECT_PORT || 3411}`,
    url: address,
    reuseExistingServer: true,
  },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
})
