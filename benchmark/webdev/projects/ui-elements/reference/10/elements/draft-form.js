import { reflectStrings, takeEarlyProperties } from "./properties.js";

const template = document.createElement("template");
template.innerHTML = `
  <style>
    :host {
      display: block;
    }

    .notice:not([hidden]) {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.5rem;
      margin-bottom: 0.5rem;
    }

    button {
      font: inherit;
    }
  </style>
  <div class="notice" hidden>
    <span role="status">Draft restored</span>
    <button type="button">Discard draft</button>
  </div>
  <slot></slot>
`;

const isSecret = (field) => field.type === "password" || field.type === "file";

export class DraftForm extends HTMLElement {
  #notice;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(template.content.cloneNode(true));
    this.#notice = root.querySelector(".notice");
    root.querySelector("button").addEventListener("click", () => this.#form?.reset());
    this.addEventListener("input", () => this.#save());
    this.addEventListener("change", () => this.#save());
    this.addEventListener("submit", () => this.#drop());
    this.addEventListener("reset", () => this.#drop());
  }

  connectedCallback() {
    takeEarlyProperties(this, "key");
    const draft = this.#load();
    if (draft && this.#form) {
      this.#fill(draft);
      this.#notice.hidden = false;
    }
  }

  get #form() {
    return this.querySelector("form");
  }

  get #storageKey() {
    return `draft:${this.key}`;
  }

  #save() {
    const data = new FormData(this.#form);
    for (const field of this.#form.elements) {
      if (isSecret(field)) {
        data.delete(field.name);
      }
    }
    const draft = Object.fromEntries([...data.keys()].map((name) => [name, data.getAll(name)]));
    localStorage.setItem(this.#storageKey, JSON.stringify(draft));
  }

  #drop() {
    localStorage.removeItem(this.#storageKey);
    this.#notice.hidden = true;
  }

  /** The stored values of each name, or null where none can be read. */
  #load() {
    try {
      return new Map(Object.entries(JSON.parse(localStorage.getItem(this.#storageKey))));
    } catch {
      return null;
    }
  }

  #fill(draft) {
    for (const field of this.#form.elements) {
      if (!field.name || isSecret(field)) {
        continue;
      }
      const values = draft.get(field.name) ?? [];
      if (field.type === "checkbox" || field.type === "radio") {
        field.checked = values.includes(field.value);
      } else if (field.localName === "select") {
        for (const option of field.options) {
          option.selected = values.includes(option.value);
        }
      } else if (values.length > 0) {
        field.value = values.shift();
      }
    }
  }
}

reflectStrings(DraftForm, "key");
customElements.define("draft-form", DraftForm);
