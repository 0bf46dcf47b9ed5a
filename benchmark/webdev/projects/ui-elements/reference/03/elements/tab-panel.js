export class TabPanel extends HTMLElement {
  static observedAttributes = ["label"];

  connectedCallback() {
    this.setAttribute("role", "tabpanel");
    this.tabIndex = 0;
    this.#name();
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.#name();
    }
  }

  #name() {
    this.setAttribute("aria-label", this.getAttribute("label") ?? "");
  }
}

customElements.define("tab-panel", TabPanel);
