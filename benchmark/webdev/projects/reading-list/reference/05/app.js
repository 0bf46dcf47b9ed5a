import { loadBooks, saveBooks, watchBooks } from "./store.js";

const filters = {
  all: () => true,
  "to-read": (book) => !book.read,
  read: (book) => book.read,
};
const UNDO_MS = 6000;

const form = document.querySelector("#add-book");
const { title: titleField, author: authorField } = form.elements;
const count = document.querySelector("#count");
const showButtons = document.querySelectorAll("#show button");
const list = document.querySelector("#books");
const emptyNote = document.querySelector("#empty");
const deletedNote = document.querySelector("#deleted");
const deletedText = document.querySelector("#deleted-text");
const undoButton = document.querySelector("#undo");

let books = loadBooks();
let show = "all";
/** The last deletion, as long as it can be undone. */
let deleted = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const title = titleField.value.trim();
  if (title) {
    const book = { id: crypto.randomUUID(), title, author: authorField.value.trim(), read: false };
    setBooks([...books, book]);
    form.reset();
  }
  titleField.focus();
});

for (const button of showButtons) {
  button.addEventListener("click", () => {
    show = button.value;
    render();
  });
}

list.addEventListener("change", (event) => {
  if (event.target.type === "checkbox") {
    updateBook(idOf(event.target), { read: event.target.checked });
  }
});

list.addEventListener("click", (event) => {
  if (event.target.dataset.action === "delete") {
    deleteBook(idOf(event.target));
  }
});

undoButton.addEventListener("click", undoDelete);

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

function render() {
  const focused = focusedControl();
  const shown = books.filter(filters[show]);
  list.replaceChildren(...shown.map(createItem));
  if (focused) {
    focusControl(focused.id, focused.action);
  }
  emptyNote.textContent = books.length > 0 ? "Nothing to show" : "No books yet";
  emptyNote.hidden = shown.length > 0;
  for (const button of showButtons) {
    button.ariaPressed = String(button.value === show);
  }
  deletedNote.hidden = !deleted;
  deletedText.textContent = deleted ? `Deleted ${deleted.book.title}` : "";
  renderCount();
}

function renderCount() {
  const read = books.filter((book) => book.read).length;
  count.textContent = `${books.length} ${books.length === 1 ? "book" : "books"}, ${read} read`;
}

function createItem(book) {
  const checkbox = element("input", { type: "checkbox", checked: book.read, ariaLabel: `Read ${book.title}` });
  checkbox.dataset.action = "read";
  const item = element(
    "li",
    { className: book.read ? "book read" : "book" },
    element("label", {}, checkbox, " Read"),
    element("p", { className: "title" }, book.title),
    element("p", { className: "author" }, book.author),
    actionButton("delete", "Delete", `Delete ${book.title}`),
  );
  item.dataset.id = book.id;
  return item;
}

function actionButton(action, text, label) {
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
  list.querySelector(`[data-id="${CSS.escape(id)}"] [data-action="${action}"]`)?.focus();
}

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

render();
