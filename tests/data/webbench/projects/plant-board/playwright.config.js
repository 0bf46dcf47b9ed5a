import { defineConfig, devices } from '@playwright/test'

const { CI, EVAL_PROJECT_PORT, IS_EVAL_PRODUCTION, MAX_TEST_WORKERS } = process.env
const port = EVAL_PROJECT_PORT || 3412

export default defineConfig({
  testDir: './test',
  fullyParallel: true,
  timeout: IS_EVAL_PRODUCTION ? 30_000 : 3_000,
  expect: { timeout: IS_EVAL_PRODUCTION ? 2_000 : 1_000 },
  retries: CI ? 2 : 0,
  reporter: CI ? 'html' : 'line',
  workers: MAX_TEST_WORKERS ? Number(MAX_TEST_WORKERS) : undefined,
  use: { baseURL: `http://localhost:${port}` },
  webServer: {
    command: `npx vite --port ${port}`,
    url: `http://localhost:${port}`,
    reuseExistingServer: !IS_EVAL_PRODUCTION,
  },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
})
