module.exports = { testDir: './test', reporter: [['line'] }
