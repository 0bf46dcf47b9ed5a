const KEY = "guest-book-tokens";

/** The tokens of the entries that were signed in this browser, by the entry's id. */
function all() {
  return JSON.parse(localStorage.getItem(KEY) ?? "{}");
}

export function tokenOf(id) {
  return all()[id];
}

export function keepToken(id, token) {
  localStorage.setItem(KEY, JSON.stringify({ ...all(), [id]: token }));
}

export function forgetToken(id) {
  const tokens = all();
  delete tokens[id];
  localStorage.setItem(KEY, JSON.stringify(tokens));
}
