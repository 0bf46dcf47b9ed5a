import { elementWith, flag, number, text } from "./base.js";

const attributes = {
  name: text(),
  label: text(),
  max: number(5, (n) => Number.isInteger(n) && n > 0),
  required: flag(),
  disabled: flag(),
};

export class StarRating extends elementWith(attributes) {
  static formAssociated = true;

  field = this.attachInternals();
  off = false;
  current = undefined;

  get value() {
    const wanted = Number(this.current === undefined ? this.getAttribute("value") : this.current);
    return wanted > 0 ? Math.min(Math.trunc(wanted), this.max) : 0;
  }

  set value(next) {
    this.current = next;
    if (this.drawn) {
      this.draw();
    }
  }

  connectedCallback() {
    super.connectedCallback();
    this.onclick = (event) => {
      const star = event.target.closest("[role=radio]");
      if (star) {
        this.pick(this.stars().indexOf(star) + 1);
      }
    };
    this.onkeydown = (event) => this.press(event);
  }

  formResetCallback() {
    this.value = undefined;
  }

  formDisabledCallback(disabled) {
    this.off = disabled;
    if (this.drawn) {
      this.draw();
    }
  }

  stars() {
    return [...this.querySelectorAll("[role=radio]")];
  }

  pick(count) {
    if (this.off || count === this.value) {
      return;
    }
    this.value = count;
    for (const kind of ["input", "change"]) {
      this.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  }

  press(event) {
    const stars = this.stars();
    const at = stars.indexOf(event.target) + 1;
    const next = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, " ": at }[event.key];
    if (at === 0 || next === undefined) {
      return;
    }
    event.preventDefault();
    if (stars[next - 1]) {
      stars[next - 1].focus();
      this.pick(next);
    }
  }

  draw() {
    const { max, value, off } = this;
    if (this.stars().length !== max) {
      this.innerHTML =
        `<span class="caption" aria-hidden="true"></span><span role="radiogroup">` +
        `<span role="radio">★</span>`.repeat(max) +
        `</span>`;
    }
    this.querySelector(".caption").textContent = this.label + " ";
    this.querySelector("[role=radiogroup]").setAttribute("aria-label", this.label);
    const stars = this.stars();
    stars.forEach((star, index) => {
      const count = index + 1;
      star.setAttribute("aria-label", count === 1 ? "1 star" : count + " stars");
      star.setAttribute("aria-checked", String(count === value));
      star.setAttribute("aria-disabled", String(off));
      star.toggleAttribute("data-lit", count <= value);
      star.tabIndex = !off && count === (value || 1) ? 0 : -1;
    });
    this.field.setFormValue(value === 0 ? null : `${value}`);
    const missing = this.required && value === 0;
    this.field.setValidity({ valueMissing: missing }, missing ? "Choose a number of stars" : "", stars[0]);
  }
}
