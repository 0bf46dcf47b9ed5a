module.exports = { add: (a, b) => a + }
