const LIMIT = 3;

const template = document.createElement("template");
template.innerHTML = `
  <style>
    :host {
      position: fixed;
      right: 1rem;
      bottom: 1rem;
      z-index: 10;
      max-width: calc(100vw - 2rem);
    }

    .toast {
      display: flex;
      align-items: center;
      justify-content: space-between;
      gap: 1rem;
      margin-top: 0.5rem;
      padding: 0.6rem 0.9rem;
      border-left: 4px solid #1f6f4a;
      border-radius: 6px;
      background: #1d2521;
      color: white;
    }

    button {
      border: 0;
      background: none;
      color: inherit;
      font: inherit;
      cursor: pointer;
    }
  </style>
  <div role="status"></div>
`;

export class ToastArea extends HTMLElement {
  #list;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(template.content.cloneNode(true));
    this.#list = root.querySelector("[role=status]");
  }

  show(message, { seconds = 5 } = {}) {
    const text = document.createElement("span");
    text.textContent = message;
    const dismiss = document.createElement("button");
    dismiss.type = "button";
    dismiss.textContent = "×";
    dismiss.setAttribute("aria-label", `Dismiss: ${message}`);
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.append(text, dismiss);

    dismiss.addEventListener("click", () => toast.remove());
    if (seconds > 0) {
      this.#expire(toast, seconds * 1000);
    }
    this.#list.append(toast);
    if (this.#list.children.length > LIMIT) {
      this.#list.firstElementChild.remove();
    }
  }

  #expire(toast, delay) {
    const held = new Set();
    let timer;
    const start = () => {
      clearTimeout(timer);
      timer = setTimeout(() => toast.remove(), delay);
    };
    const hold = (by) => {
      held.add(by);
      clearTimeout(timer);
    };
    const release = (by) => {
      held.delete(by);
      if (held.size === 0) {
        start();
      }
    };
    toast.addEventListener("pointerenter", () => hold("pointer"));
    toast.addEventListener("pointerleave", () => release("pointer"));
    toast.addEventListener("focusin", () => hold("focus"));
    toast.addEventListener("focusout", () => release("focus"));
    start();
  }
}

customElements.define("toast-area", ToastArea);
