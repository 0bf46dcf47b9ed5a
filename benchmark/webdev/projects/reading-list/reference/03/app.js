import { loadBooks, saveBooks, watchBooks } from "./store.js";

const form = document.querySelector("#add-book");
const { title: titleField, author: authorField } = form.elements;
const count = document.querySelector("#count");
const list = document.querySelector("#books");
const emptyNote = document.querySelector("#empty");

let books = loadBooks();

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

list.addEventListener("change", (event) => {
  if (event.target.type === "checkbox") {
    updateBook(idOf(event.target), { read: event.target.checked });
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

function render() {
  const focused = focusedControl();
  list.replaceChildren(...books.map(createItem));
  if (focused) {
    focusControl(focused.id, focused.action);
  }
  emptyNote.hidden = books.length > 0;
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
  );
  item.dataset.id = book.id;
  return item;
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
