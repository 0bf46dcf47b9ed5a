import { bill, blank, courseOf, isMinor, mistakes, money, settle } from "./rules.js";

const STORE = "course-signup-draft";
const form = document.querySelector("form");
const box = document.querySelector("#mistakes");
const failure = document.querySelector(".failure");
const control = (key) => form.querySelector(`[name="${key}"]`);
const guardianRow = control("guardian").closest(".row");

const state = { entries: load(), flagged: new Set(), boxOpen: false, sending: false };

function load() {
  try {
    return settle({ ...blank, ...JSON.parse(localStorage.getItem(STORE)) });
  } catch {
    return { ...blank };
  }
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function offer(key, titles) {
  const select = control(key);
  const wanted = ["Please choose", ...titles];
  const present = [...select.options].map((option) => option.text);
  if (wanted.join("\n") !== present.join("\n")) {
    select.innerHTML = "";
    select.append(...wanted.map((title, index) => element("option", { value: index ? title : "" }, title)));
  }
}

function renderFields() {
  const { entries } = state;
  const course = courseOf(entries);
  offer("course", courses.map(({ title }) => title));
  offer("session", course ? course.sessions : []);
  control("session").disabled = !course;
  control("kit").disabled = !course || course.kit === null;
  if (isMinor(entries.born)) control("born").closest(".row").after(guardianRow);
  else guardianRow.remove();
  for (const [key, value] of Object.entries(entries)) {
    const field = key === "guardian" ? guardianRow.querySelector("input") : control(key);
    if (typeof value === "boolean") field.checked = value;
    else if (field.value !== value) field.value = value;
  }
}

function renderMessages() {
  const wrong = mistakes(state.entries);
  for (const key of state.flagged) if (!wrong.has(key)) state.flagged.delete(key);
  const shown = [...wrong].filter(([key]) => state.flagged.has(key));
  for (const row of form.querySelectorAll(".row")) {
    const field = row.querySelector("input, select");
    const text = state.flagged.has(field.name) ? wrong.get(field.name) : "";
    let note = row.querySelector(".note");
    if (!text) {
      note?.remove();
      field.removeAttribute("aria-describedby");
      field.setAttribute("aria-invalid", "false");
      continue;
    }
    if (!note) {
      note = element("strong", { className: "note", id: `note-${field.name}` });
      row.append(note);
    }
    note.textContent = text;
    field.setAttribute("aria-describedby", note.id);
    field.setAttribute("aria-invalid", "true");
  }
  if (shown.length === 0) state.boxOpen = false;
  renderBox(state.boxOpen ? shown : []);
}

function renderBox(shown) {
  const signature = JSON.stringify(shown);
  if (box.dataset.shown === signature) return;
  box.dataset.shown = signature;
  box.replaceChildren();
  if (shown.length === 0) return;
  const title = `Please check ${shown.length} ${shown.length > 1 ? "entries" : "entry"}`;
  const links = shown.map(([key, text]) => {
    const link = element("a", { href: "#" }, text);
    link.onclick = () => {
      control(key).focus();
      return false;
    };
    return element("li", {}, link);
  });
  box.append(element("h3", { tabIndex: -1 }, title), element("ol", {}, ...links));
}

function renderBill() {
  const lines = bill(state.entries);
  const rows = lines.map(([label, cents]) =>
    element("div", {}, element("span", {}, `${label}: `), element("b", {}, money(cents))),
  );
  const waiting = "The price appears here once a course is selected.";
  form.querySelector(".bill").replaceChildren(...(rows.length ? rows : [waiting]));
}

function render() {
  renderFields();
  renderMessages();
  renderBill();
}

function show(view) {
  document.body.dataset.view = view;
  document.querySelector(`[data-for="${view}"] h2`)?.focus();
}

function forget() {
  Object.assign(state, { entries: { ...blank }, flagged: new Set(), boxOpen: false });
  render();
  localStorage.removeItem(STORE);
}

function payload() {
  const text = (key) => state.entries[key].trim();
  return {
    firstName: text("firstName"),
    lastName: text("lastName"),
    email: text("email"),
    phone: text("phone"),
    dateOfBirth: state.entries.born,
    guardian: isMinor(state.entries.born) ? text("guardian") : "",
    course: state.entries.course,
    session: state.entries.session,
    kit: state.entries.kit,
    concession: state.entries.concession,
    total: bill(state.entries).at(-1)[1] / 100,
  };
}

function renderReview() {
  const sent = payload();
  const yes = (value) => (value ? "Yes" : "No");
  const born = new Date(`${sent.dateOfBirth}T12:00:00`);
  const month = born.toLocaleString("en", { month: "long" });
  const rows = {
    Name: `${sent.firstName} ${sent.lastName}`,
    "E-mail": sent.email,
    Phone: sent.phone === "" ? "Not given" : sent.phone,
    "Date of birth": `${born.getDate()} ${month} ${born.getFullYear()}`,
    "Parent or guardian": sent.guardian,
    Course: sent.course,
    Session: sent.session,
    "Course kit": yes(sent.kit),
    Concession: yes(sent.concession),
    Total: money(Math.round(sent.total * 100)),
  };
  const lines = Object.entries(rows).filter(([, value]) => value !== "");
  const cells = lines.map(([label, value]) =>
    element("tr", {}, element("th", { scope: "row" }, label), element("td", {}, value)),
  );
  document.querySelector("table").replaceChildren(element("tbody", {}, ...cells));
}

function renderSending() {
  const [send, back] = document.querySelectorAll("[data-action]");
  send.textContent = state.sending ? "Sending…" : "Send sign-up";
  for (const each of [send, back]) each.disabled = state.sending;
}

async function post(body) {
  try {
    const answer = await fetch("api/signups", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.status === 201;
  } catch {
    return false;
  }
}

const actions = {
  back() {
    show("form");
    control("firstName").focus();
  },
  async send() {
    if (state.sending) return;
    const body = payload();
    state.sending = true;
    failure.replaceChildren();
    renderSending();
    const accepted = await post(body);
    state.sending = false;
    renderSending();
    if (!accepted) {
      const alert = element("p", {}, "Your sign-up could not be sent. Please try again.");
      alert.setAttribute("role", "alert");
      failure.append(alert);
      return;
    }
    forget();
    document.querySelector('[data-for="thanks"] h2').textContent = `Thank you, ${body.firstName}!`;
    show("thanks");
  },
};

form.addEventListener("input", ({ target }) => {
  const value = target.type === "checkbox" ? target.checked : target.value;
  state.entries = settle({ ...state.entries, [target.name]: value });
  render();
  localStorage.setItem(STORE, JSON.stringify(state.entries));
});

form.addEventListener(
  "blur",
  ({ target }) => {
    const value = state.entries[target.name];
    if (typeof value !== "string" || value.trim() === "") return;
    state.flagged.add(target.name);
    renderMessages();
  },
  true,
);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const wrong = mistakes(state.entries);
  state.flagged = new Set(wrong.keys());
  state.boxOpen = wrong.size > 0;
  render();
  if (state.boxOpen) {
    box.querySelector("h3").focus();
    return;
  }
  failure.replaceChildren();
  renderReview();
  show("review");
});

form.addEventListener("reset", (event) => {
  event.preventDefault();
  forget();
  control("firstName").focus();
});

document.querySelector('[data-for="review"]').addEventListener("click", ({ target }) => {
  actions[target.dataset.action]?.();
});

render();
