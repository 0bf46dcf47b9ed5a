const NOTICE_MS = 2000;

const template = document.createElement("template");
template.innerHTML = `
  <style>
    :host {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.5rem;
      margin-block: 0.5rem;
    }

    label {
      flex-basis: 100%;
      font-weight: 600;
    }

    input,
    button {
      padding: 0.4rem 0.6rem;
      border: 1px solid #8a938d;
      border-radius: var(--ui-radius, 6px);
      font: inherit;
    }

    input {
      flex: 1 1 10rem;
      min-width: 0;
    }

    button {
      border-color: transparent;
      background: var(--ui-accent, #1f6f4a);
      color: white;
      cursor: pointer;
    }

    button:disabled {
      opacity: 0.5;
      cursor: default;
    }
  </style>
  <label for="field"></label>
  <input id="field" part="field" type="text" readonly>
  <button part="button" type="button">Copy</button>
  <span role="status"></span>
`;

export class CopyField extends HTMLElement {
  static observedAttributes = ["label", "value"];

  #label;
  #field;
  #button;
  #status;
  #timer;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(template.content.cloneNode(true));
    this.#label = root.querySelector("label");
    this.#field = root.querySelector("input");
    this.#button = root.querySelector("button");
    this.#status = root.querySelector("[role=status]");
    this.#button.addEventListener("click", () => this.#copy());
  }

  connectedCallback() {
    this.#render();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#status.textContent = "";
  }

  attributeChangedCallback() {
    this.#render();
  }

  get value() {
    return this.getAttribute("value") ?? "";
  }

  set value(value) {
    this.setAttribute("value", value);
  }

  async #copy() {
    const value = this.value;
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      this.#notify("Could not copy");
      return;
    }
    this.#notify("Copied");
    this.dispatchEvent(new CustomEvent("copied", { bubbles: true, detail: { value } }));
  }

  #notify(message) {
    clearTimeout(this.#timer);
    this.#status.textContent = message;
    this.#timer = setTimeout(() => {
      this.#status.textContent = "";
    }, NOTICE_MS);
  }

  #render() {
    const label = this.getAttribute("label") ?? "";
    this.#label.textContent = label;
    this.#field.value = this.value;
    this.#button.setAttribute("aria-label", `Copy ${label}`);
    this.#button.disabled = this.value === "";
  }
}

customElements.define("copy-field", CopyField);
