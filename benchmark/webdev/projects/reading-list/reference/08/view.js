export const start = { show: "all", q: "", sort: "mine" };

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

/** The view as an address says it; what it does not know is as at the start. */
export function viewFrom(hash) {
  const said = new URLSearchParams(hash.slice(1));
  const show = said.get("show");
  const sort = said.get("sort");
  return {
    show: Object.hasOwn(filters, show) ? show : start.show,
    q: said.get("q") ?? start.q,
    sort: Object.hasOwn(orders, sort) ? sort : start.sort,
  };
}

export function hashOf(view) {
  const said = new URLSearchParams();
  for (const name of ["show", "q", "sort"]) {
    const value = view[name].trim();
    if (value !== start[name]) {
      said.set(name, value);
    }
  }
  const text = said.toString();
  return text && `#${text}`;
}

function withoutArticle(title) {
  return title.replace(/^(?:the|an?)\s+/i, "");
}

function plain(text) {
  return text.normalize("NFD").replace(/\p{Mark}/gu, "").toLowerCase().trim();
}
