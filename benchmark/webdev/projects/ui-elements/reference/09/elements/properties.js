/** Makes each named property the string in the attribute of that name. */
export function reflectStrings(elementClass, ...names) {
  for (const name of names) {
    Object.defineProperty(elementClass.prototype, name, {
      configurable: true,
      enumerable: true,
      get() {
        return this.getAttribute(name) ?? "";
      },
      set(value) {
        this.setAttribute(name, value);
      },
    });
  }
}

/** Makes each named property say whether the attribute of that name is there. */
export function reflectBooleans(elementClass, ...names) {
  for (const name of names) {
    Object.defineProperty(elementClass.prototype, name, {
      configurable: true,
      enumerable: true,
      get() {
        return this.hasAttribute(name);
      },
      set(value) {
        this.toggleAttribute(name, Boolean(value));
      },
    });
  }
}

/** Hands to the setters what was assigned to the element before its class was defined. */
export function takeEarlyProperties(element, ...names) {
  for (const name of names) {
    if (Object.hasOwn(element, name)) {
      const value = element[name];
      delete element[name];
      element[name] = value;
    }
  }
}
