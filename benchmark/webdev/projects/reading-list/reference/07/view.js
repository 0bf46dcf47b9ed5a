const filters = {
  all: () => true,
  "to-read": (book) => !book.read,
  read: (book) => book.read,
};

const collator = new Intl.Collator("en", { sensitivity: "base" });

const orders = {
  mine: () => 0,
  title: (a, b) => collator.compare(withoutArticle(a.title), withoutArticle(b.title)),
  author: (a, b) => (a.author === "") - (b.author === "") || collator.compare(a.author, b.author),
};

/** The books that belong in `view`, in its order. */
export function arrange(books, view) {
  const wanted = plain(view.q);
  return books
    .filter(filters[view.show])
    .filter((book) => plain(book.title).includes(wanted) || plain(book.author).includes(wanted))
    .sort(orders[view.sort]);
}

function withoutArticle(title) {
  return title.replace(/^(?:the|an?)\s+/i, "");
}

function plain(text) {
  return text.normalize("NFD").replace(/\p{Mark}/gu, "").toLowerCase().trim();
}
