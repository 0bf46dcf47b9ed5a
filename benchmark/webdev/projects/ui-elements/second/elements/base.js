const types = {
  text: (fallback) => ({
    read: (text) => text || fallback,
    write: (value) => String(value),
  }),
  flag: () => ({
    read: (text) => text !== null,
    write: (value) => (value ? "" : null),
  }),
  number: (fallback, fits) => ({
    read: (text) => (text?.trim() && fits(Number(text)) ? Number(text) : fallback),
    write: (value) => (value == null ? null : String(value)),
  }),
};

export const text = (fallback = "") => types.text(fallback);
export const flag = () => types.flag();
export const number = (fallback, fits = Number.isFinite) => types.number(fallback, fits);

/** A class of elements whose listed properties live in attributes and that calls `draw` when one of them changes. */
export function elementWith(properties) {
  class Base extends HTMLElement {
    static observedAttributes = Object.keys(properties);

    drawn = false;

    connectedCallback() {
      for (const name of [...Object.keys(properties), "value"]) {
        if (Object.prototype.hasOwnProperty.call(this, name)) {
          const early = this[name];
          delete this[name];
          this[name] = early;
        }
      }
      this.drawn = true;
      this.draw();
    }

    attributeChangedCallback(name, before, now) {
      if (this.drawn && before !== now) {
        this.draw(name);
      }
    }

    draw() {}
  }

  for (const [name, { read, write }] of Object.entries(properties)) {
    Object.defineProperty(Base.prototype, name, {
      get() {
        return read(this.getAttribute(name));
      },
      set(value) {
        const written = write(value);
        if (written === null) {
          this.removeAttribute(name);
        } else {
          this.setAttribute(name, written);
        }
      },
    });
  }
  return Base;
}
