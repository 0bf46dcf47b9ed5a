"use strict";

const form = document.getElementById("signup");
const fields = form.elements;

const emailPattern = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const phonePattern = /^\+?[\d ()/-]+$/;

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

form.addEventListener("input", (event) => {
  if (event.target === fields.course) updateSessions();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  for (const name of Object.keys(rules)) showMessage(name, problem(name));
});

for (const course of courses) fields.course.append(new Option(course.title));
