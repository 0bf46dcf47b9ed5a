import { elementWith, text } from "./base.js";

const two = (n) => `${n}`.padStart(2, "0");

function spell(left) {
  const s = left % 60;
  const m = Math.floor(left / 60) % 60;
  const h = Math.floor(left / 3600) % 24;
  const d = Math.floor(left / 86400);
  return (d > 0 ? d + " d " : "") + `${two(h)}:${two(m)}:${two(s)}`;
}

export class CountDown extends elementWith({ until: text() }) {
  interval = 0;

  draw() {
    this.halt();
    const end = new Date(this.until).getTime();
    if (isNaN(end)) {
      this.textContent = "No date";
      return;
    }
    const look = () => {
      const left = Math.ceil((end - Date.now()) / 1000);
      this.textContent = left > 0 ? spell(left) : "Time is up";
      return left > 0;
    };
    if (look()) {
      this.interval = setInterval(() => {
        if (!look()) {
          this.halt();
          this.dispatchEvent(new Event("count-end", { bubbles: true }));
        }
      }, 250);
    }
  }

  disconnectedCallback() {
    this.drawn = false;
    this.halt();
  }

  halt() {
    clearInterval(this.interval);
  }
}
