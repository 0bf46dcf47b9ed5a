import { elementWith, flag, text } from "./base.js";

const css = `
  nav { overflow-x: auto; }
  [role=tablist] { display: inline-flex; }
  [role=tab] { padding: 6px 10px; white-space: nowrap; cursor: pointer; }
  [role=tab][aria-selected=true] { color: var(--ui-accent, #1f6f4a); font-weight: bold; }
  [role=tab][aria-disabled=true] { color: #999; cursor: default; }
`;

export class TabPanel extends elementWith({ label: text(), disabled: flag() }) {
  draw() {
    this.setAttribute("role", "tabpanel");
    this.setAttribute("aria-label", this.label);
    this.dispatchEvent(new Event("panel-changed", { bubbles: true }));
  }
}

/** The shown panel is the only one that is assigned to the slot. */
export class TabSet extends elementWith({ label: text() }) {
  static observedAttributes = ["label", "selected"];

  order = [];
  shown = null;
  tabOf = new WeakMap();
  root = null;

  get selected() {
    this.follow();
    return Math.max(0, this.order.indexOf(this.shown));
  }

  set selected(value) {
    this.setAttribute("selected", value);
  }

  connectedCallback() {
    if (Object.prototype.hasOwnProperty.call(this, "selected")) {
      const early = this.selected;
      delete this.selected;
      this.selected = early;
    }
    this.root ??= this.build();
    this.watch ??= new MutationObserver(() => this.draw());
    this.watch.observe(this, { childList: true });
    super.connectedCallback();
  }

  disconnectedCallback() {
    this.watch.disconnect();
  }

  build() {
    const root = this.attachShadow({ mode: "open", slotAssignment: "manual" });
    root.innerHTML = `<style>${css}</style><nav><div role="tablist"></div></nav><slot></slot>`;
    const list = root.querySelector("[role=tablist]");
    list.onclick = (event) => this.visit(this.order.find((panel) => this.tabOf.get(panel) === event.target));
    list.onkeydown = (event) => {
      const usable = this.order.filter((panel) => !panel.hasAttribute("disabled"));
      const at = usable.indexOf(this.shown);
      const step = { ArrowRight: at + 1, ArrowLeft: at - 1 + usable.length, Home: 0, End: usable.length - 1 }[event.key];
      if (step === undefined || usable.length === 0) {
        return;
      }
      event.preventDefault();
      const panel = usable[step % usable.length];
      this.visit(panel);
      this.tabOf.get(panel).focus();
    };
    this.addEventListener("panel-changed", (event) => {
      event.stopPropagation();
      this.draw();
    });
    return root;
  }

  visit(panel) {
    if (!panel || panel === this.shown || panel.hasAttribute("disabled")) {
      return;
    }
    this.shown = panel;
    this.draw();
    this.dispatchEvent(new CustomEvent("tab-change", { detail: { index: this.selected } }));
  }

  follow() {
    const old = this.order;
    this.order = Array.from(this.children).filter((child) => child.matches("tab-panel"));
    const usable = (panel) => panel?.parentNode === this && !panel.hasAttribute("disabled");
    if (!usable(this.shown)) {
      const at = old.indexOf(this.shown);
      const later = old.slice(at + 1).find(usable);
      const earlier = old.slice(0, Math.max(at, 0)).findLast(usable);
      this.shown = later ?? earlier ?? this.order.find(usable) ?? null;
    }
  }

  draw(attribute) {
    if (attribute === "selected" || !this.shown) {
      this.order = Array.from(this.children).filter((child) => child.matches("tab-panel"));
      this.shown = this.order[Number(this.getAttribute("selected"))] ?? this.order[0] ?? null;
    }
    this.follow();
    const list = this.root.querySelector("[role=tablist]");
    list.setAttribute("aria-label", this.label);
    const tabs = this.order.map((panel) => this.paint(panel));
    for (const stale of [...list.children].filter((child) => !tabs.includes(child))) {
      stale.remove();
    }
    tabs.forEach((tab, index) => {
      if (list.children[index] !== tab) {
        list.insertBefore(tab, list.children[index]);
      }
    });
    this.root.querySelector("slot").assign(...(this.shown ? [this.shown] : []));
    const index = this.order.indexOf(this.shown);
    if (index >= 0 && this.getAttribute("selected") !== `${index}`) {
      this.setAttribute("selected", index);
    }
  }

  paint(panel) {
    const tab = this.tabOf.get(panel) ?? document.createElement("span");
    this.tabOf.set(panel, tab);
    const on = panel === this.shown;
    const off = panel.hasAttribute("disabled");
    tab.textContent = panel.getAttribute("label");
    tab.setAttribute("role", "tab");
    tab.setAttribute("part", on ? "tab selected-tab" : "tab");
    tab.setAttribute("aria-selected", String(on));
    tab.setAttribute("aria-disabled", String(off));
    tab.setAttribute("tabindex", on ? "0" : "-1");
    return tab;
  }
}
