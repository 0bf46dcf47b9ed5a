"use strict";

(() => {
  const SLOT = "reading-list";
  const PATIENCE = 6_000;
  const part = (name, root = document) => root.querySelector(`[data-${name}]`);
  const parts = (name, root = document) => [...root.querySelectorAll(`[data-${name}]`)];

  class Shelf extends EventTarget {
    #books = [];
    #next = 1;

    constructor() {
      super();
      this.#read();
      addEventListener("storage", () => {
        this.#read();
        this.dispatchEvent(new Event("change"));
      });
    }

    #read() {
      this.#books = [];
      this.#next = 1;
      try {
        const { version, next, books } = JSON.parse(localStorage.getItem(SLOT)) ?? {};
        if (version === 1 && Array.isArray(books)) {
          this.#books = books;
          this.#next = next;
        }
      } catch {
        console.warn("The stored reading list cannot be read");
      }
    }

    #changed() {
      localStorage.setItem(SLOT, JSON.stringify({ version: 1, next: this.#next, books: this.#books }));
      this.dispatchEvent(new Event("change"));
    }

    get all() {
      return [...this.#books];
    }

    get size() {
      return this.#books.length;
    }

    get readCount() {
      return this.#books.reduce((sum, book) => sum + Number(book.done), 0);
    }

    find(key) {
      return this.#books.find((book) => book.key === key);
    }

    place(key) {
      return this.#books.findIndex((book) => book.key === key);
    }

    append(...entries) {
      for (const { title, author, done = false } of entries) {
        this.#books.push({ key: this.#next++, title, author, done });
      }
      this.#changed();
    }

    change(key, values) {
      Object.assign(this.find(key), values);
      this.#changed();
    }

    take(key) {
      const place = this.place(key);
      const [book] = this.#books.splice(place, 1);
      this.#changed();
      return { book, place };
    }

    putBack({ book, place }) {
      this.#books.splice(place, 0, book);
      this.#changed();
    }

    swap(place, other) {
      const books = this.#books;
      [books[place], books[other]] = [books[other], books[place]];
      this.#changed();
    }
  }

  const shelf = new Shelf();
  const shelfElement = part("shelf");
  const nothing = part("nothing");
  const offer = part("offer");
  const news = part("news");
  const query = part("query");
  const order = part("order");
  const entry = part("entry");
  const rows = new Map();
  let editor = null;
  let trash = null;

  const simple = (text) => text.trim().toLocaleLowerCase("en").normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const byWords = (left, right) => simple(left).localeCompare(simple(right), "en");
  const sortTitle = (title) => title.replace(/^(the|a|an) +/i, "");

  function currentView() {
    const given = new URLSearchParams(location.hash.replace(/^#/, ""));
    const one = (name, known) => (known.includes(given.get(name)) ? given.get(name) : "");
    return {
      mode: one("show", ["to-read", "read"]),
      text: given.get("q") ?? "",
      sorting: one("sort", ["title", "author"]),
    };
  }

  function addressOf({ mode, text, sorting }) {
    const pairs = [["show", mode], ["q", text.trim()], ["sort", sorting]].filter(([, value]) => value);
    return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  }

  function go(change) {
    location.hash = addressOf({ ...currentView(), ...change });
  }

  function visible({ mode, text, sorting }) {
    const needle = simple(text);
    const found = shelf.all.filter(
      ({ title, author, done }) =>
        (mode === "" || done === (mode === "read")) && [title, author].some((words) => simple(words).includes(needle)),
    );
    if (sorting === "title") {
      found.sort((left, right) => byWords(sortTitle(left.title), sortTitle(right.title)));
    }
    if (sorting === "author") {
      const named = found.filter(({ author }) => author).sort((left, right) => byWords(left.author, right.author));
      return [...named, ...found.filter(({ author }) => !author)];
    }
    return found;
  }

  function rowOf(key) {
    if (!rows.has(key)) {
      const row = part("row").content.firstElementChild.cloneNode(true);
      row.key = key;
      rows.set(key, row);
    }
    return rows.get(key);
  }

  function fill(row, book, movable) {
    for (const name of parts("name", row)) {
      name.textContent = book.title;
    }
    part("heading", row).textContent = book.title;
    part("by", row).textContent = book.author && `by ${book.author}`;
    part("done", row).checked = book.done;
    row.classList.toggle("done", book.done);
    const place = shelf.place(book.key);
    const [up, down] = parts("do", row);
    up.hidden = down.hidden = !movable;
    up.disabled = place === 0;
    down.disabled = place === shelf.size - 1;
  }

  function draw() {
    const view = currentView();
    const movable = addressOf(view) === "";
    const books = visible(view);
    const active = document.activeElement;
    const wanted = books.map((book) => rowOf(book.key));
    books.forEach((book, index) => fill(wanted[index], book, movable));
    for (const row of [...shelfElement.children].filter((old) => !wanted.includes(old))) {
      row.remove();
    }
    wanted.forEach((row, index) => {
      if (shelfElement.children[index] !== row) {
        shelfElement.insertBefore(row, shelfElement.children[index] ?? null);
      }
    });
    if (active !== document.activeElement && shelfElement.contains(active)) {
      active.focus();
    }
    nothing.textContent = books.length ? "" : shelf.size ? "Nothing to show" : "No books yet";
    part("tally").textContent = `${amount(shelf.size)}, ${shelf.readCount} read`;
    for (const button of parts("mode")) {
      button.setAttribute("aria-pressed", button.dataset.mode === view.mode ? "true" : "false");
    }
    if (simple(query.value) !== simple(view.text)) {
      query.value = view.text;
    }
    order.value = view.sorting;
  }

  function amount(number) {
    return number === 1 ? "1 book" : `${number} books`;
  }

  function wordsOf(form) {
    const { bookTitle, bookAuthor } = form.elements;
    form.querySelector(".wrong")?.remove();
    bookTitle.removeAttribute("aria-invalid");
    const words = { title: bookTitle.value.trim(), author: bookAuthor.value.trim() };
    if (words.title) {
      return words;
    }
    const wrong = document.createElement("strong");
    wrong.className = "wrong";
    wrong.setAttribute("role", "alert");
    wrong.textContent = "Title is required";
    form.append(wrong);
    bookTitle.setAttribute("aria-invalid", "true");
    bookTitle.focus();
    return null;
  }

  function closeEditor(focus) {
    if (!editor) {
      return;
    }
    const { form, row } = editor;
    editor = null;
    form.remove();
    part("face", row).hidden = false;
    if (focus) {
      row.querySelector('[data-do="edit"]').focus();
    }
  }

  function openEditor(row) {
    closeEditor(false);
    const form = part("editor").content.firstElementChild.cloneNode(true);
    const { title, author } = shelf.find(row.key);
    form.elements.bookTitle.value = title;
    form.elements.bookAuthor.value = author;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = wordsOf(form);
      if (words) {
        shelf.change(row.key, words);
        closeEditor(true);
      }
    });
    form.addEventListener("keyup", (event) => {
      if (event.code === "Escape") {
        closeEditor(true);
      }
    });
    part("face", row).hidden = true;
    row.append(form);
    editor = { form, row };
    form.elements.bookTitle.focus();
  }

  function endOffer() {
    clearTimeout(trash?.timer);
    trash = null;
    offer.replaceChildren();
  }

  function discard(key) {
    endOffer();
    trash = { ...shelf.take(key), timer: setTimeout(endOffer, PATIENCE) };
    const undo = document.createElement("button");
    undo.textContent = "Undo";
    undo.onclick = () => {
      const kept = trash;
      endOffer();
      shelf.putBack(kept);
      rowOf(key).querySelector('[data-do="delete"]').focus();
    };
    offer.append(`Deleted ${trash.book.title} `, undo);
    undo.focus();
  }

  function shift(row, by) {
    const place = shelf.place(row.key);
    const target = place + by;
    if (addressOf(currentView()) !== "" || target < 0 || target >= shelf.size) {
      return;
    }
    const control = document.activeElement;
    shelf.swap(place, target);
    control.focus();
    if (control.disabled) {
      parts("do", row).find((button) => !button.disabled).focus();
    }
    news.textContent = `${shelf.find(row.key).title} moved to position ${target + 1} of ${shelf.size}`;
  }

  const deeds = {
    up: (row) => shift(row, -1),
    down: (row) => shift(row, 1),
    edit: openEditor,
    cancel: () => closeEditor(true),
    delete: (row) => discard(row.key),
  };

  function readFile(text) {
    const list = JSON.parse(text);
    const good = ({ title, author = "", read = false }) =>
      typeof title === "string" && /\S/.test(title) && typeof author === "string" && typeof read === "boolean";
    if (!Array.isArray(list) || !list.every(good)) {
      throw new Error("no list of books");
    }
    return list.map(({ title, author = "", read = false }) => ({
      title: title.trim(),
      author: author.trim(),
      done: read,
    }));
  }

  const sameBook = (one) => (other) =>
    one.title.toUpperCase() === other.title.toUpperCase() && one.author.toUpperCase() === other.author.toUpperCase();

  async function takeIn(file) {
    let entries;
    try {
      entries = readFile(await file.text());
    } catch {
      return "This file cannot be imported";
    }
    const fresh = [];
    for (const candidate of entries) {
      if (![...shelf.all, ...fresh].some(sameBook(candidate))) {
        fresh.push(candidate);
      }
    }
    shelf.append(...fresh);
    return `Imported ${amount(fresh.length)}, skipped ${entries.length - fresh.length}`;
  }

  entry.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = wordsOf(entry);
    if (words) {
      shelf.append(words);
      entry.reset();
      entry.elements.bookTitle.focus();
    }
  });
  shelfElement.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-do]");
    if (button) {
      deeds[button.dataset.do](button.closest("li"));
    }
  });
  shelfElement.addEventListener("input", ({ target }) => {
    if (target.matches("[data-done]")) {
      shelf.change(target.closest("li").key, { done: target.checked });
    }
  });
  shelfElement.addEventListener("keydown", (event) => {
    const deed = event.altKey && { ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (deed) {
      event.preventDefault();
      deeds[deed](event.target.closest("li"));
    }
  });
  part("modes").addEventListener("click", ({ target }) => {
    if (target.dataset.mode !== undefined) {
      go({ mode: target.dataset.mode });
    }
  });
  order.addEventListener("change", () => go({ sorting: order.value }));
  query.addEventListener("input", () => {
    const hash = addressOf({ ...currentView(), text: query.value });
    history.replaceState(history.state, "", hash ? `#${hash}` : location.pathname);
    draw();
  });
  part("export").addEventListener("click", () => {
    const plain = shelf.all.map(({ title, author, done }) => ({ title, author, read: done }));
    const anchor = document.createElement("a");
    anchor.href = `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(plain))}`;
    anchor.download = `${SLOT}.json`;
    anchor.click();
  });
  part("import").addEventListener("change", async ({ target }) => {
    if (target.files.length) {
      news.classList.remove("quiet");
      news.textContent = await takeIn(target.files[0]);
      target.value = "";
    }
  });
  addEventListener("popstate", draw);
  shelf.addEventListener("change", draw);
  draw();
})();
