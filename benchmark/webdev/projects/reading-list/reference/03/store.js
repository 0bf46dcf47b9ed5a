const KEY = "reading-list";

export function loadBooks() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(saved) && saved.every(isBook) ? saved : [];
  } catch {
    return [];
  }
}

export function saveBooks(books) {
  localStorage.setItem(KEY, JSON.stringify(books));
}

/** Calls `listener` with the books whenever another tab has changed them. */
export function watchBooks(listener) {
  window.addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) {
      listener(loadBooks());
    }
  });
}

function isBook(value) {
  return (
    typeof value?.id === "string" &&
    typeof value.title === "string" &&
    typeof value.author === "string" &&
    typeof value.read === "boolean"
  );
}
