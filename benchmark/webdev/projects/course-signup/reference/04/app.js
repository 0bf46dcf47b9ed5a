"use strict";

const form = document.getElementById("signup");
const fields = form.elements;

const emailPattern = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const phonePattern = /^\+?[\d ()/-]+$/;
const concessionRate = 0.2;

// Each rule takes the trimmed entry and returns what is wrong with it, or an empty string.
const rules = {
  firstName: (value) => (value ? "" : "Enter your first name"),
  lastName: (value) => (value ? "" : "Enter your last name"),
  email: (value) => {
    if (!value) return "Enter your e-mail address";
    return emailPattern.test(value) ? "" : "Enter an e-mail address like name@example.com";
  },
  phone: (value) => {
    const digits = value.replace(/\D/g, "").length;
    const usable = phonePattern.test(value) && digits >= 7 && digits <= 15;
    return !value || usable ? "" : "Enter a phone number with 7 to 15 digits";
  },
  course: (value) => (value ? "" : "Choose a course"),
  session: (value) => (chosenCourse() && !value ? "Choose a session" : ""),
};

function problem(name) {
  return rules[name](fields[name].value.trim());
}

function showMessage(name, text) {
  const field = fields[name];
  const message = document.getElementById(`${field.id}-error`);
  message.textContent = text;
  message.hidden = !text;
  if (text) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

function chosenCourse() {
  return courses.find((course) => course.title === fields.course.value);
}

function updateSessions() {
  const sessions = chosenCourse()?.sessions ?? [];
  const options = sessions.map((session) => new Option(session));
  fields.session.replaceChildren(new Option("Please choose", ""), ...options);
  fields.session.disabled = sessions.length === 0;
  if (sessions.length === 1) fields.session.value = sessions[0];
}

function euros(amount) {
  return `€${amount.toFixed(2)}`;
}

function priceLines() {
  const course = chosenCourse();
  if (!course) return ["The price appears here once a course is selected."];
  const kit = fields.kit.checked ? course.kit : 0;
  const concession = fields.concession.checked ? course.fee * concessionRate : 0;
  const lines = [`Course fee: ${euros(course.fee)}`];
  if (kit) lines.push(`Course kit: ${euros(kit)}`);
  if (concession) lines.push(`Concession: -${euros(concession)}`);
  lines.push(`Total: ${euros(course.fee + kit - concession)}`);
  return lines;
}

function updatePrice() {
  const hasKit = (chosenCourse()?.kit ?? null) !== null;
  fields.kit.disabled = !hasKit;
  if (!hasKit) fields.kit.checked = false;
  const paragraphs = priceLines().map((line) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    return paragraph;
  });
  document.getElementById("price").replaceChildren(...paragraphs);
}

form.addEventListener("input", (event) => {
  if (event.target === fields.course) updateSessions();
  updatePrice();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  for (const name of Object.keys(rules)) showMessage(name, problem(name));
});

for (const course of courses) fields.course.append(new Option(course.title));
updatePrice();
