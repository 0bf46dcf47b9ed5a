const form = document.querySelector("#sign");
const statusLine = document.querySelector("#status");
const list = document.querySelector("#entries");
const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

function textElement(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

function entryItem(entry) {
  const item = document.createElement("li");
  const day = textElement("time", "day", dayFormat.format(new Date(entry.createdAt)));
  day.dateTime = entry.createdAt;
  item.append(textElement("p", "guest", entry.name), day, textElement("p", "message", entry.message));
  return item;
}

async function showEntries() {
  const response = await fetch("/api/entries");
  const { entries } = await response.json();
  list.replaceChildren(...entries.map(entryItem));
}

function showErrors(fields) {
  const controls = [form.elements.name, form.elements.message];
  for (const control of controls) {
    const error = fields[control.name] ?? "";
    document.getElementById(`${control.name}-error`).textContent = error;
    if (error) {
      control.setAttribute("aria-invalid", "true");
    } else {
      control.removeAttribute("aria-invalid");
    }
  }
  controls.find((control) => fields[control.name])?.focus();
}

async function signBook() {
  const entry = Object.fromEntries(new FormData(form));
  const response = await fetch("/api/entries", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(entry),
  });
  if (response.status === 422) {
    const { fields } = await response.json();
    statusLine.textContent = "";
    showErrors(fields);
    return;
  }
  if (!response.ok) {
    statusLine.textContent = "Your entry could not be saved.";
    return;
  }
  const saved = await response.json();
  showErrors({});
  form.reset();
  await showEntries();
  statusLine.textContent = `Thank you, ${saved.name}!`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  signBook();
});

await showEntries();
