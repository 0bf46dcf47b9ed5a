const { defineConfig, devices } = require('@playwright/test')

module.exports = defineConfig({
  testDir: './test',
  timeout: 2_000,
  expect: { timeout: 300 },
  fullyParallel: true,
  workers: 1,
  outputDir: process.env.LAB_RESULTS,
  reporter: [['line'], ['json', { outputFile: process.env.LAB_REPORT }]],
  use: {
    baseURL: process.env.LAB_SITE,
    launchOptions: { executablePath: process.env.LAB_BROWSER, args: ['--no-sandbox'] },
  },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
})
