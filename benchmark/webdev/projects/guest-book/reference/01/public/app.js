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

await showEntries();
