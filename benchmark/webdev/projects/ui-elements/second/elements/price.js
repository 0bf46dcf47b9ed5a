import { elementWith, number, text } from "./base.js";

export class PriceTag extends elementWith({ amount: number(null), currency: text("USD") }) {
  draw() {
    const { amount, currency } = this;
    this.textContent =
      amount === null ? "Price on request" : amount.toLocaleString("en-US", { style: "currency", currency });
  }
}
