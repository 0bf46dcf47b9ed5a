export class PriceTag extends HTMLElement {
  static observedAttributes = ["amount", "currency"];

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
  }

  connectedCallback() {
    this.#render();
  }

  attributeChangedCallback() {
    this.#render();
  }

  get amount() {
    const text = this.getAttribute("amount")?.trim();
    const number = Number(text);
    return text && Number.isFinite(number) ? number : null;
  }

  set amount(value) {
    if (value === null || value === undefined) {
      this.removeAttribute("amount");
    } else {
      this.setAttribute("amount", value);
    }
  }

  #render() {
    const amount = this.amount;
    const currency = this.getAttribute("currency") || "USD";
    this.shadowRoot.textContent =
      amount === null
        ? "Price on request"
        : new Intl.NumberFormat("en-US", { style: "currency", currency }).format(amount);
  }
}

customElements.define("price-tag", PriceTag);
