const base = require('./playwright.config.js')

module.exports = { ...base, webServer: { command: 'node -e "process.exit(1)"', url: 'http://127.0.0.1:9/' } }
