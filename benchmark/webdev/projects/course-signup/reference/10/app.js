"use strict";

const form = document.getElementById("signup");
const fields = form.elements;
const summary = document.getElementById("summary");
const summaryTitle = document.getElementById("summary-title");
const summaryLinks = new Map();
const draftKey = "course-signup-draft";
const review = document.getElementById("review");
const thanks = document.getElementById("thanks");
const failure = document.getElementById("failure");
const sendButton = document.getElementById("send");
const changeButton = document.getElementById("change");

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
  birthDate: (value) => {
    if (!value) return "Enter your date of birth";
    if (new Date(`${value}T00:00`) > new Date()) return "The date of birth cannot be in the future";
    return ageToday(value) < 16 ? "You must be at least 16 years old" : "";
  },
  guardian: (value) => (needsGuardian() && !value ? "Enter the name of a parent or guardian" : ""),
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
  const link = summaryLinks.get(name);
  link.textContent = text;
  link.parentElement.hidden = !text;
}

function hasMessage(name) {
  return fields[name].getAttribute("aria-invalid") === "true";
}

function recheckMessages() {
  for (const name of Object.keys(rules).filter(hasMessage)) showMessage(name, problem(name));
}

function buildSummary() {
  for (const name of Object.keys(rules)) {
    const link = document.createElement("a");
    link.href = `#${fields[name].id}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      fields[name].focus();
    });
    const item = document.createElement("li");
    item.hidden = true;
    item.append(link);
    document.getElementById("summary-list").append(item);
    summaryLinks.set(name, link);
  }
}

function updateSummary() {
  const count = Object.keys(rules).filter(hasMessage).length;
  summaryTitle.textContent = `Please check ${count} ${count === 1 ? "entry" : "entries"}`;
  if (count === 0) summary.hidden = true;
  return count;
}

function ageToday(birthDate) {
  const [year, month, day] = birthDate.split("-").map(Number);
  const now = new Date();
  const thisMonth = now.getMonth() + 1;
  const hadBirthday = thisMonth > month || (thisMonth === month && now.getDate() >= day);
  return now.getFullYear() - year - (hadBirthday ? 0 : 1);
}

function needsGuardian() {
  const birthDate = fields.birthDate.value;
  if (!birthDate) return false;
  const age = ageToday(birthDate);
  return age >= 16 && age < 18;
}

function updateGuardian() {
  document.getElementById("guardian-field").hidden = !needsGuardian();
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

function priceOf(course) {
  const kit = fields.kit.checked ? course.kit : 0;
  const concession = fields.concession.checked ? course.fee * concessionRate : 0;
  const total = Math.round((course.fee + kit - concession) * 100) / 100;
  return { fee: course.fee, kit, concession, total };
}

function priceLines() {
  const course = chosenCourse();
  if (!course) return ["The price appears here once a course is selected."];
  const { fee, kit, concession, total } = priceOf(course);
  const lines = [`Course fee: ${euros(fee)}`];
  if (kit) lines.push(`Course kit: ${euros(kit)}`);
  if (concession) lines.push(`Concession: -${euros(concession)}`);
  lines.push(`Total: ${euros(total)}`);
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

function saveDraft() {
  const draft = {};
  for (const field of fields) {
    if (field.name) draft[field.name] = field.type === "checkbox" ? field.checked : field.value;
  }
  localStorage.setItem(draftKey, JSON.stringify(draft));
}

function readDraft() {
  try {
    return Object(JSON.parse(localStorage.getItem(draftKey)));
  } catch {
    return {};
  }
}

function restoreDraft() {
  const draft = readDraft();
  for (const field of fields) {
    if (!(field.name in draft)) continue;
    if (field.type === "checkbox") field.checked = draft[field.name];
    else field.value = draft[field.name];
    if (field === fields.course) updateSessions();
  }
  updateGuardian();
  updatePrice();
}

function clearForm() {
  form.reset();
  updateSessions();
  updateGuardian();
  updatePrice();
  for (const name of Object.keys(rules)) showMessage(name, "");
  updateSummary();
  localStorage.removeItem(draftKey);
}

function readEntries() {
  const text = (name) => fields[name].value.trim();
  return {
    firstName: text("firstName"),
    lastName: text("lastName"),
    email: text("email"),
    phone: text("phone"),
    dateOfBirth: text("birthDate"),
    guardian: needsGuardian() ? text("guardian") : "",
    course: text("course"),
    session: text("session"),
    kit: fields.kit.checked,
    concession: fields.concession.checked,
    total: priceOf(chosenCourse()).total,
  };
}

function longDate(date) {
  const options = { day: "numeric", month: "long", year: "numeric" };
  return new Date(`${date}T00:00`).toLocaleDateString("en-GB", options);
}

function reviewRows(entries) {
  const rows = [
    ["Name", `${entries.firstName} ${entries.lastName}`],
    ["E-mail", entries.email],
    ["Phone", entries.phone || "Not given"],
    ["Date of birth", longDate(entries.dateOfBirth)],
  ];
  if (entries.guardian) rows.push(["Parent or guardian", entries.guardian]);
  rows.push(
    ["Course", entries.course],
    ["Session", entries.session],
    ["Course kit", entries.kit ? "Yes" : "No"],
    ["Concession", entries.concession ? "Yes" : "No"],
    ["Total", euros(entries.total)],
  );
  return rows;
}

function showReview() {
  const cells = reviewRows(readEntries()).flatMap(([label, value]) => {
    const term = document.createElement("dt");
    term.textContent = label;
    const detail = document.createElement("dd");
    detail.textContent = value;
    return [term, detail];
  });
  document.getElementById("review-details").replaceChildren(...cells);
  failure.textContent = "";
  form.hidden = true;
  review.hidden = false;
  document.getElementById("review-title").focus();
}

function setSending(sending) {
  sendButton.textContent = sending ? "Sending…" : "Send sign-up";
  sendButton.disabled = sending;
  changeButton.disabled = sending;
}

async function send() {
  const entries = readEntries();
  failure.textContent = "";
  setSending(true);
  const request = fetch("api/signups", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(entries),
  });
  const accepted = await request.then(
    (response) => response.status === 201,
    () => false,
  );
  setSending(false);
  if (accepted) {
    showThanks(entries.firstName);
  } else {
    failure.textContent = "Your sign-up could not be sent. Please try again.";
    sendButton.focus();
  }
}

function showThanks(firstName) {
  clearForm();
  const title = document.getElementById("thanks-title");
  title.textContent = `Thank you, ${firstName}!`;
  review.hidden = true;
  thanks.hidden = false;
  title.focus();
}

form.addEventListener("input", (event) => {
  if (event.target === fields.course) updateSessions();
  if (event.target === fields.birthDate) updateGuardian();
  updatePrice();
  recheckMessages();
  updateSummary();
  saveDraft();
});

form.addEventListener("focusout", (event) => {
  const { name, value } = event.target;
  if (!(name in rules) || !value.trim()) return;
  showMessage(name, problem(name));
  updateSummary();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  updateGuardian();
  for (const name of Object.keys(rules)) showMessage(name, problem(name));
  if (updateSummary() === 0) {
    showReview();
  } else {
    summary.hidden = false;
    summaryTitle.focus();
  }
});

document.getElementById("clear").addEventListener("click", () => {
  clearForm();
  fields.firstName.focus();
});

changeButton.addEventListener("click", () => {
  review.hidden = true;
  form.hidden = false;
  fields.firstName.focus();
});

sendButton.addEventListener("click", send);

for (const course of courses) fields.course.append(new Option(course.title));
buildSummary();
restoreDraft();
