import { elementWith, text } from "./base.js";

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; margin-block: 8px; }
  label { display: block; }
  input { box-sizing: border-box; width: 100%; font: inherit; }
  button { padding: 4px 12px; border: none; border-radius: var(--ui-radius, 6px); color: #fff; background-color: var(--ui-accent, #1f6f4a); }
  button[disabled] { filter: grayscale(1); }
  .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`);

export class CopyField extends elementWith({ label: text(), value: text() }) {
  parts = null;
  turns = 0;

  draw() {
    const { label, input, name, button } = (this.parts ??= this.build());
    label.data = this.label;
    name.textContent = " " + this.label;
    input.value = this.value;
    button.toggleAttribute("disabled", !this.value);
  }

  build() {
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = `
      <label><span class="caption"></span><input part="field" readonly></label>
      <button part="button">Copy<span class="sr"></span></button>
      <output></output>`;
    const caption = new Text();
    root.querySelector(".caption").append(caption);
    const button = root.querySelector("button");
    button.onclick = () => this.copy();
    return {
      label: caption,
      input: root.querySelector("input"),
      name: root.querySelector(".sr"),
      button,
      output: root.querySelector("output"),
    };
  }

  copy() {
    const copied = this.value;
    navigator.clipboard.writeText(copied).then(
      () => {
        this.say("Copied");
        this.dispatchEvent(new CustomEvent("copied", { bubbles: true, composed: true, detail: { value: copied } }));
      },
      () => this.say("Could not copy"),
    );
  }

  say(words) {
    const turn = ++this.turns;
    this.parts.output.value = words;
    setTimeout(() => {
      if (turn === this.turns) {
        this.parts.output.value = "";
      }
    }, 2000);
  }
}
