const DEFAULT_MAX = 5;

const template = document.createElement("template");
template.innerHTML = `
  <style>
    :host {
      display: block;
    }

    #label {
      font-weight: 600;
    }

    .stars {
      display: flex;
      flex-wrap: wrap;
      font-size: 1.75rem;
      line-height: 1.2;
    }

    .star {
      position: relative;
      padding-inline: 0.1em;
      color: #a9b0ac;
      cursor: pointer;
    }

    .star.on {
      color: var(--ui-accent, #1f6f4a);
    }

    .star:focus-within {
      outline: 2px solid currentColor;
    }

    input {
      position: absolute;
      inset: 0;
      width: 100%;
      height: 100%;
      margin: 0;
      opacity: 0;
      cursor: inherit;
    }
  </style>
  <span id="label"></span>
  <div class="stars" role="radiogroup" aria-labelledby="label"></div>
`;

export class StarRating extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ["label", "max", "required", "value"];

  #internals;
  #label;
  #group;
  #radios = [];
  #chosen = null;

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.append(template.content.cloneNode(true));
    this.#label = root.querySelector("#label");
    this.#group = root.querySelector("[role=radiogroup]");
    // Events of the inner radio buttons end here: the element fires its own.
    this.#group.addEventListener("input", (event) => event.stopPropagation());
    this.#group.addEventListener("change", (event) => this.#onChange(event));
    this.#build();
  }

  attributeChangedCallback(name) {
    if (name === "label") {
      this.#label.textContent = this.getAttribute("label");
    } else if (name === "max") {
      this.#build();
    } else {
      this.#update();
    }
  }

  formDisabledCallback() {
    this.#update();
  }

  formResetCallback() {
    this.#chosen = null;
    this.#update();
  }

  get max() {
    const max = Math.floor(Number(this.getAttribute("max")));
    return max > 0 ? max : DEFAULT_MAX;
  }

  get value() {
    const value = Math.round(Number(this.#chosen ?? this.getAttribute("value")));
    return Math.min(Math.max(value || 0, 0), this.max);
  }

  set value(value) {
    this.#chosen = value;
    this.#update();
  }

  #onChange(event) {
    event.stopPropagation();
    this.value = event.target.value;
    this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #build() {
    this.#radios = Array.from({ length: this.max }, (_, index) => {
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = "star";
      radio.value = index + 1;
      radio.setAttribute("aria-label", index === 0 ? "1 star" : `${index + 1} stars`);
      return radio;
    });
    this.#group.replaceChildren(
      ...this.#radios.map((radio) => {
        const star = document.createElement("label");
        star.className = "star";
        star.append("★", radio);
        return star;
      }),
    );
    this.#update();
  }

  #update() {
    const value = this.value;
    const disabled = this.matches(":disabled");
    for (const radio of this.#radios) {
      radio.checked = Number(radio.value) === value;
      radio.disabled = disabled;
      radio.parentElement.classList.toggle("on", Number(radio.value) <= value);
    }
    this.#internals.setFormValue(value ? String(value) : null);
    if (this.hasAttribute("required") && value === 0) {
      this.#internals.setValidity({ valueMissing: true }, "Please choose a rating.", this.#radios[0]);
    } else {
      this.#internals.setValidity({});
    }
  }
}

customElements.define("star-rating", StarRating);
