import { reflectBooleans, reflectStrings, takeEarlyProperties } from "./properties.js";

export class TabPanel extends HTMLElement {
  static observedAttributes = ["label"];

  connectedCallback() {
    takeEarlyProperties(this, "label", "disabled");
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
    this.setAttribute("aria-label", this.label);
  }
}

reflectStrings(TabPanel, "label");
reflectBooleans(TabPanel, "disabled");
customElements.define("tab-panel", TabPanel);
