"use strict";

const form = document.getElementById("signup");
const fields = form.elements;

// Each rule takes the trimmed entry and returns what is wrong with it, or an empty string.
const rules = {
  firstName: (value) => (value ? "" : "Enter your first name"),
  lastName: (value) => (value ? "" : "Enter your last name"),
  email: (value) => (value ? "" : "Enter your e-mail address"),
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

form.addEventListener("submit", (event) => {
  event.preventDefault();
  for (const name of Object.keys(rules)) showMessage(name, problem(name));
});
