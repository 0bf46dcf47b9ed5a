export function exportBooks(books) {
  const text = JSON.stringify(books.map(({ title, author, read }) => ({ title, author, read })), null, 2);
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "reading-list.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}

/** The books that `text` holds. Throws when it is not a list of books. */
export function parseBooks(text) {
  const entries = JSON.parse(text);
  if (!Array.isArray(entries)) {
    throw new TypeError("not a list");
  }
  return entries.map(parseBook);
}

/** Those of `candidates` that are not in `books` yet, each once. */
export function newBooks(candidates, books) {
  const known = new Set(books.map(keyOf));
  return candidates.filter((book) => {
    const key = keyOf(book);
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

function parseBook(entry) {
  const { title, author = "", read = false } = entry;
  if (typeof title !== "string" || typeof author !== "string" || typeof read !== "boolean" || !title.trim()) {
    throw new TypeError("not a book");
  }
  return { title: title.trim(), author: author.trim(), read };
}

function keyOf({ title, author }) {
  return JSON.stringify([title.toLowerCase(), author.toLowerCase()]);
}
