const template = document.createElement("template");
template.innerHTML = `
  <style>
    :host {
      display: block;
    }

    [role="tablist"] {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem;
      border-bottom: 1px solid #c4cac6;
    }

    [role="tab"] {
      padding: 0.4rem 0.8rem;
      border: 0;
      border-bottom: 3px solid transparent;
      background: none;
      color: inherit;
      font: inherit;
      cursor: pointer;
    }

    [role="tab"][aria-selected="true"] {
      border-bottom-color: currentColor;
      color: #1f6f4a;
    }

    ::slotted(tab-panel:not([hidden])) {
      display: block;
      padding-block: 0.5rem;
    }
  </style>
  <div role="tablist"></div>
  <slot></slot>
`;

export class TabSet extends HTMLElement {
  static observedAttributes = ["label", "selected"];

  #list;
  #panels = [];
  #tabs = [];

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(template.content.cloneNode(true));
    this.#list = root.querySelector("[role=tablist]");
    this.#list.addEventListener("click", (event) => this.#onClick(event));
    this.#list.addEventListener("keydown", (event) => this.#onKeyDown(event));
  }

  connectedCallback() {
    this.#panels = [...this.children].filter((child) => child.localName === "tab-panel");
    this.#tabs = this.#panels.map((panel) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.textContent = panel.getAttribute("label");
      return tab;
    });
    this.#list.replaceChildren(...this.#tabs);
    this.#render();
  }

  attributeChangedCallback() {
    this.#render();
  }

  get selected() {
    const index = Number(this.getAttribute("selected"));
    return this.#panels[index] ? index : 0;
  }

  set selected(index) {
    this.setAttribute("selected", index);
  }

  #onClick(event) {
    const index = this.#tabs.indexOf(event.target.closest("[role=tab]"));
    if (index >= 0) {
      this.#choose(index);
    }
  }

  #onKeyDown(event) {
    const last = this.#tabs.length - 1;
    const target = {
      ArrowLeft: this.selected === 0 ? last : this.selected - 1,
      ArrowRight: this.selected === last ? 0 : this.selected + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.#choose(target);
      this.#tabs[target].focus();
    }
  }

  #choose(index) {
    if (index === this.selected) {
      return;
    }
    this.selected = index;
    this.dispatchEvent(new CustomEvent("tab-change", { detail: { index } }));
  }

  #render() {
    this.#list.setAttribute("aria-label", this.getAttribute("label") ?? "");
    this.#tabs.forEach((tab, index) => {
      const chosen = index === this.selected;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      this.#panels[index].hidden = !chosen;
    });
  }
}

customElements.define("tab-set", TabSet);
