throw new TypeError("no such fruit")
