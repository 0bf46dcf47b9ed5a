const SECOND = 1000;
const DAY_SECONDS = 24 * 60 * 60;

function format(seconds) {
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds % DAY_SECONDS;
  const clock = [rest / 3600, (rest / 60) % 60, rest % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
  return days ? `${days} d ${clock}` : clock;
}

export class CountDown extends HTMLElement {
  static observedAttributes = ["until"];

  #timer;

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
  }

  connectedCallback() {
    this.#start();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.#start();
    }
  }

  #start() {
    clearTimeout(this.#timer);
    this.#show();
  }

  #show() {
    const left = Date.parse(this.getAttribute("until")) - Date.now();
    if (Number.isNaN(left)) {
      this.shadowRoot.textContent = "No date";
    } else if (left <= 0) {
      this.shadowRoot.textContent = "Time is up";
    } else {
      this.shadowRoot.textContent = format(Math.ceil(left / SECOND));
      this.#timer = setTimeout(() => this.#tick(), left % SECOND || SECOND);
    }
    return left;
  }

  #tick() {
    if (this.#show() <= 0) {
      this.dispatchEvent(new CustomEvent("count-end", { bubbles: true }));
    }
  }
}

customElements.define("count-down", CountDown);
