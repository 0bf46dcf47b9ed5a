import { loadBooks, saveBooks, watchBooks } from "./store.js";
import { exportBooks, newBooks, parseBooks } from "./transfer.js";
import { arrange, hashOf, isPlainList, viewFrom } from "./view.js";

const UNDO_MS = 6000;
const steps = { ArrowUp: -1, ArrowDown: 1 };

const form = document.querySelector("#add-book");
const { title: titleField, author: authorField } = form.elements;
const titleError = document.querySelector("#title-error");
const count = document.querySelector("#count");
const showButtons = document.querySelectorAll("#show button");
const searchField = document.querySelector("#search");
const sortField = document.querySelector("#sort");
const list = document.querySelector("#books");
const emptyNote = document.querySelector("#empty");
const deletedNote = document.querySelector("#deleted");
const deletedText = document.querySelector("#deleted-text");
const undoButton = document.querySelector("#undo");
const message = document.querySelector("#message");
const importField = document.querySelector("#import");

let books = loadBooks();
let view = viewFrom(location.hash);
/** The book that is being edited: its id and what its fields hold. */
let editing = null;
/** The last deletion, as long as it can be undone. */
let deleted = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const title = titleField.value.trim();
  showError(titleField, titleError, !title);
  if (title) {
    const book = { id: crypto.randomUUID(), title, author: authorField.value.trim(), read: false };
    setBooks([...books, book]);
    form.reset();
  }
  titleField.focus();
});

for (const button of showButtons) {
  button.addEventListener("click", () => setView({ show: button.value }));
}
sortField.addEventListener("change", () => setView({ sort: sortField.value }));
searchField.addEventListener("input", () => setView({ q: searchField.value }, { replace: true }));
window.addEventListener("hashchange", () => {
  view = viewFrom(location.hash);
  render();
});

list.addEventListener("change", (event) => {
  if (event.target.type === "checkbox") {
    updateBook(idOf(event.target), { read: event.target.checked });
  }
});

const actions = {
  edit: startEditing,
  cancel: stopEditing,
  delete: deleteBook,
  "move-up": (id) => moveBook(id, -1),
  "move-down": (id) => moveBook(id, 1),
};

list.addEventListener("click", (event) => {
  actions[event.target.dataset.action]?.(idOf(event.target));
});
list.addEventListener("input", (event) => {
  if (event.target.name) {
    editing[event.target.name] = event.target.value;
  }
});
list.addEventListener("submit", (event) => {
  event.preventDefault();
  saveEdited();
});
list.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.closest("form")) {
    stopEditing(editing.id);
  } else if (event.altKey && event.key in steps) {
    event.preventDefault();
    moveBook(idOf(event.target), steps[event.key]);
  }
});

undoButton.addEventListener("click", undoDelete);

document.querySelector("#export").addEventListener("click", () => exportBooks(books));
importField.addEventListener("change", async () => {
  const [file] = importField.files;
  if (file) {
    await importBooks(file);
    importField.value = "";
  }
});

watchBooks((changed) => {
  books = changed;
  render();
});

function setBooks(next) {
  books = next;
  saveBooks(books);
  render();
}

function updateBook(id, change) {
  setBooks(books.map((book) => (book.id === id ? { ...book, ...change } : book)));
}

function setView(change, { replace = false } = {}) {
  const before = hashOf(view);
  view = { ...view, ...change };
  const hash = hashOf(view);
  if (hash !== before) {
    const address = location.pathname + location.search + hash;
    history[replace ? "replaceState" : "pushState"](null, "", address);
  }
  render();
}

function startEditing(id) {
  const { title, author } = books.find((book) => book.id === id);
  editing = { id, title, author };
  render();
  focusControl(id, "title");
}

function stopEditing(id) {
  editing = null;
  render();
  focusControl(id, "edit");
}

function saveEdited() {
  const { id } = editing;
  const title = editing.title.trim();
  if (title) {
    updateBook(id, { title, author: editing.author.trim() });
    stopEditing(id);
  } else {
    editing.blank = true;
    render();
    focusControl(id, "title");
  }
}

function showError(field, error, isWrong) {
  field.ariaInvalid = String(isWrong);
  error.hidden = !isWrong;
}

function deleteBook(id) {
  const index = books.findIndex((book) => book.id === id);
  clearTimeout(deleted?.timer);
  deleted = { book: books[index], index, timer: setTimeout(dropDeleted, UNDO_MS) };
  setBooks(books.toSpliced(index, 1));
  undoButton.focus();
}

function dropDeleted() {
  const hadFocus = deletedNote.contains(document.activeElement);
  deleted = null;
  render();
  if (hadFocus) {
    titleField.focus();
  }
}

function undoDelete() {
  const { book, index, timer } = deleted;
  clearTimeout(timer);
  deleted = null;
  setBooks(books.toSpliced(index, 0, book));
  focusControl(book.id, "delete");
}

function moveBook(id, step) {
  const from = books.findIndex((book) => book.id === id);
  const to = from + step;
  if (!isPlainList(view) || to < 0 || to >= books.length) {
    return;
  }
  const book = books[from];
  setBooks(books.toSpliced(from, 1).toSpliced(to, 0, book));
  message.textContent = `${book.title} moved to position ${to + 1} of ${books.length}`;
}

async function importBooks(file) {
  try {
    const candidates = parseBooks(await file.text());
    const added = newBooks(candidates, books);
    setBooks([...books, ...added.map((book) => ({ id: crypto.randomUUID(), ...book }))]);
    message.textContent = `Imported ${bookCount(added.length)}, skipped ${candidates.length - added.length}`;
  } catch {
    message.textContent = "This file cannot be imported";
  }
}

function render() {
  renderList();
  renderView();
  renderCount();
  deletedNote.hidden = !deleted;
  deletedText.textContent = deleted ? `Deleted ${deleted.book.title}` : "";
}

function renderList() {
  const focused = focusedControl();
  const shown = arrange(books, view);
  list.replaceChildren(...shown.map(createItem));
  if (focused) {
    focusControl(focused.id, focused.action);
  }
  emptyNote.textContent = books.length > 0 ? "Nothing to show" : "No books yet";
  emptyNote.hidden = shown.length > 0;
}

function renderView() {
  for (const button of showButtons) {
    button.ariaPressed = String(button.value === view.show);
  }
  if (searchField.value !== view.q) {
    searchField.value = view.q;
  }
  sortField.value = view.sort;
}

function renderCount() {
  const read = books.filter((book) => book.read).length;
  count.textContent = `${bookCount(books.length)}, ${read} read`;
}

function bookCount(number) {
  return `${number} ${number === 1 ? "book" : "books"}`;
}

function createItem(book) {
  const item = element(
    "li",
    { className: book.read ? "book read" : "book" },
    ...(book.id === editing?.id ? [createEditForm()] : createDetails(book)),
  );
  item.dataset.id = book.id;
  return item;
}

function createDetails(book) {
  const checkbox = element("input", { type: "checkbox", checked: book.read, ariaLabel: `Read ${book.title}` });
  checkbox.dataset.action = "read";
  return [
    element("label", {}, checkbox, " Read"),
    element("p", { className: "title" }, book.title),
    element("p", { className: "author" }, book.author),
    ...(isPlainList(view) ? createMoveButtons(book) : []),
    actionButton("edit", "Edit", `Edit ${book.title}`),
    actionButton("delete", "Delete", `Delete ${book.title}`),
  ];
}

function createMoveButtons(book) {
  const up = actionButton("move-up", "↑", `Move ${book.title} up`);
  up.disabled = book === books[0];
  const down = actionButton("move-down", "↓", `Move ${book.title} down`);
  down.disabled = book === books.at(-1);
  return [up, down];
}

function createEditForm() {
  const title = element("input", { id: "edit-title", name: "title", value: editing.title });
  const author = element("input", { id: "edit-author", name: "author", value: editing.author });
  const error = element("p", { id: "edit-error", className: "error" }, "Title is required");
  title.dataset.action = "title";
  author.dataset.action = "author";
  title.setAttribute("aria-describedby", error.id);
  showError(title, error, Boolean(editing.blank));
  return element(
    "form",
    { className: "edit", autocomplete: "off" },
    element("div", { className: "field" }, element("label", { htmlFor: title.id }, "Edit title"), title),
    element("div", { className: "field" }, element("label", { htmlFor: author.id }, "Edit author"), author),
    element("button", {}, "Save"),
    actionButton("cancel", "Cancel"),
    error,
  );
}

function actionButton(action, text, label = text) {
  const button = element("button", { type: "button", ariaLabel: label }, text);
  button.dataset.action = action;
  return button;
}

function idOf(control) {
  return control.closest("li").dataset.id;
}

function focusedControl() {
  const control = document.activeElement;
  return list.contains(control) ? { id: idOf(control), action: control.dataset.action } : null;
}

function focusControl(id, action) {
  const item = list.querySelector(`[data-id="${CSS.escape(id)}"]`);
  const control = item?.querySelector(`[data-action="${action}"]`);
  if (control?.disabled) {
    item.querySelector("[data-action^='move-']:enabled")?.focus();
  } else {
    control?.focus();
  }
}

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

render();
