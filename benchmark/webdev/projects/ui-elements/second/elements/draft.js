import { elementWith, text } from "./base.js";

const skipped = new Set(["password", "file", "submit", "reset", "button", "image", "fieldset", "output"]);

const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !skipped.has(field.type));

function take(field) {
  if (field.type === "checkbox" || field.type === "radio") {
    return field.checked;
  }
  return field.type === "select-multiple" ? [...field.selectedOptions].map((option) => option.value) : field.value;
}

function give(field, state) {
  if (field.type === "checkbox" || field.type === "radio") {
    field.checked = state;
  } else if (field.type === "select-multiple") {
    [...field.options].forEach((option) => (option.selected = state.includes(option.value)));
  } else {
    field.value = state;
  }
}

/** Keeps the state of each field in document order. */
export class DraftForm extends elementWith({ key: text() }) {
  started = false;

  get slotName() {
    return "draft:" + this.key;
  }

  async connectedCallback() {
    super.connectedCallback();
    const form = this.querySelector("form");
    if (!form || this.started) {
      return;
    }
    this.started = true;
    await customElements.whenDefined("star-rating");
    this.restore(form);
    form.addEventListener("input", () => this.keep(form));
    form.addEventListener("change", () => this.keep(form));
    form.addEventListener("submit", () => this.forget());
    form.addEventListener("reset", () => this.forget());
  }

  keep(form) {
    localStorage[this.slotName] = JSON.stringify(fieldsOf(form).map((field) => [field.name, take(field)]));
  }

  restore(form) {
    let states;
    try {
      states = JSON.parse(localStorage[this.slotName] ?? "");
    } catch {
      return;
    }
    const fields = fieldsOf(form);
    states.forEach(([name, state], index) => {
      if (fields[index]?.name === name) {
        give(fields[index], state);
      }
    });
    this.bar = document.createElement("div");
    this.bar.innerHTML = `<p role="status"></p><button type="button">Discard draft</button>`;
    this.bar.firstChild.append("Draft restored");
    this.bar.lastChild.onclick = () => form.reset();
    this.prepend(this.bar);
  }

  forget() {
    localStorage.removeItem(this.slotName);
    this.bar?.remove();
  }
}
