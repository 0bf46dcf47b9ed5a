import { reflectStrings, takeEarlyProperties } from "./properties.js";

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

    [role="tab"]:disabled {
      opacity: 0.5;
      cursor: default;
    }

    [role="tab"][aria-selected="true"] {
      border-bottom-color: currentColor;
      color: var(--ui-accent, #1f6f4a);
    }

    ::slotted(tab-panel:not([hidden])) {
      display: block;
      padding-block: 0.5rem;
    }
  </style>
  <div role="tablist"></div>
  <slot></slot>
`;

const isOpen = (panel) => !panel.hasAttribute("disabled");

export class TabSet extends HTMLElement {
  static observedAttributes = ["label", "selected"];

  #list;
  #panels = [];
  #tabs = new Map();
  #current = null;
  #observer = new MutationObserver(() => this.#sync());

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(template.content.cloneNode(true));
    this.#list = root.querySelector("[role=tablist]");
    this.#list.addEventListener("click", (event) => this.#onClick(event));
    this.#list.addEventListener("keydown", (event) => this.#onKeyDown(event));
  }

  connectedCallback() {
    takeEarlyProperties(this, "label", "selected");
    this.#observer.observe(this, {
      attributeFilter: ["label", "disabled"],
      childList: true,
      subtree: true,
    });
    this.#sync();
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  attributeChangedCallback(name, _, value) {
    if (name === "label") {
      this.#list.setAttribute("aria-label", this.label);
    } else if (this.isConnected && value !== String(this.selected)) {
      this.#sync(value);
    }
  }

  get selected() {
    return Math.max(this.#panels.indexOf(this.#current), 0);
  }

  set selected(index) {
    this.setAttribute("selected", index);
  }

  #onClick(event) {
    const tab = event.target.closest("[role=tab]");
    if (tab) {
      this.#choose(this.#panels.find((panel) => this.#tabs.get(panel) === tab));
    }
  }

  #onKeyDown(event) {
    const open = this.#panels.filter(isOpen);
    const at = open.indexOf(this.#current);
    const target = {
      ArrowLeft: open.at(at - 1),
      ArrowRight: open[(at + 1) % open.length],
      Home: open[0],
      End: open.at(-1),
    }[event.key];
    if (target) {
      event.preventDefault();
      this.#choose(target);
      this.#tabs.get(target).focus();
    }
  }

  #choose(panel) {
    if (panel === this.#current) {
      return;
    }
    const index = this.#panels.indexOf(panel);
    this.selected = index;
    this.dispatchEvent(new CustomEvent("tab-change", { detail: { index } }));
  }

  /** Takes over the panels as they are now; `wanted` is the number of the one to show, if another than before. */
  #sync(wanted) {
    const before = this.#panels;
    this.#panels = [...this.children].filter((child) => child.localName === "tab-panel");
    if (this.#current === null) {
      wanted = this.getAttribute("selected");
    }
    if (wanted !== undefined) {
      this.#current = this.#panels[Number(wanted)] ?? this.#panels[0] ?? null;
    }
    if (!this.#canShow(this.#current)) {
      this.#current = this.#successor(before);
    }
    this.#render();
    if (this.#current && this.getAttribute("selected") !== String(this.selected)) {
      this.selected = this.selected;
    }
  }

  #canShow(panel) {
    return this.#panels.includes(panel) && isOpen(panel);
  }

  #successor(before) {
    const at = before.indexOf(this.#current);
    const inTurn = at < 0 ? [] : [...before.slice(at + 1), ...before.slice(0, at).reverse()];
    return [...inTurn, ...this.#panels].find((panel) => this.#canShow(panel)) ?? null;
  }

  #render() {
    for (const [panel, tab] of this.#tabs) {
      if (!this.#panels.includes(panel)) {
        tab.remove();
        this.#tabs.delete(panel);
      }
    }
    this.#panels.forEach((panel, index) => {
      const tab = this.#tabOf(panel);
      const chosen = panel === this.#current;
      tab.textContent = panel.getAttribute("label");
      tab.disabled = !isOpen(panel);
      tab.setAttribute("aria-selected", chosen);
      tab.part.toggle("selected-tab", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
      if (this.#list.children[index] !== tab) {
        this.#list.insertBefore(tab, this.#list.children[index] ?? null);
      }
    });
  }

  #tabOf(panel) {
    if (!this.#tabs.has(panel)) {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.part = "tab";
      this.#tabs.set(panel, tab);
    }
    return this.#tabs.get(panel);
  }
}

reflectStrings(TabSet, "label");
customElements.define("tab-set", TabSet);
