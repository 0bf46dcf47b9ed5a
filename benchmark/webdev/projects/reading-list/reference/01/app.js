const form = document.querySelector("#add-book");
const { title: titleField, author: authorField } = form.elements;
const list = document.querySelector("#books");
const emptyNote = document.querySelector("#empty");

let books = [];

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const title = titleField.value.trim();
  if (title) {
    books = [...books, { title, author: authorField.value.trim() }];
    form.reset();
    render();
  }
  titleField.focus();
});

function render() {
  list.replaceChildren(...books.map(createItem));
  emptyNote.hidden = books.length > 0;
}

function createItem(book) {
  return element(
    "li",
    { className: "book" },
    element("p", { className: "title" }, book.title),
    element("p", { className: "author" }, book.author),
  );
}

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}
