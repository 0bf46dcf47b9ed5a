export class ToastArea extends HTMLElement {
  toasts = [];
  clock = 0;

  connectedCallback() {
    this.setAttribute("role", "status");
    this.list ??= this.appendChild(document.createElement("ul"));
  }

  show(message, options) {
    const seconds = options?.seconds ?? 5;
    const item = document.createElement("li");
    item.append(message);
    const button = document.createElement("button");
    button.textContent = "Close";
    button.setAttribute("aria-label", "Dismiss: " + message);
    item.append(button);
    this.list.append(item);

    const toast = { item, life: seconds ? seconds * 1000 : Infinity };
    toast.end = Date.now() + toast.life;
    this.toasts.push(toast);
    button.addEventListener("click", () => this.drop(toast));
    for (const kind of ["mouseleave", "focusout"]) {
      item.addEventListener(kind, () => (toast.end = Date.now() + toast.life));
    }
    for (const [begin, finish] of [["mouseenter", "mouseleave"], ["focusin", "focusout"]]) {
      item.addEventListener(begin, () => item.classList.add(begin));
      item.addEventListener(finish, () => item.classList.remove(begin));
    }
    while (this.toasts.length > 3) {
      this.drop(this.toasts[0]);
    }
    this.clock ||= setInterval(() => this.sweep(), 100);
  }

  sweep() {
    for (const toast of [...this.toasts]) {
      if (!toast.item.matches(".mouseenter, .focusin") && Date.now() >= toast.end) {
        this.drop(toast);
      }
    }
  }

  drop(toast) {
    toast.item.remove();
    this.toasts = this.toasts.filter((other) => other !== toast);
    if (this.toasts.length === 0) {
      clearInterval(this.clock);
      this.clock = 0;
    }
  }
}
