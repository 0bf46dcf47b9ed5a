import { HttpError } from "./http.js";

const MAX_SIZE = 50;

/** One page of `items` as the query asks for it. */
export function pageOf(items, query) {
  const page = wholeNumber(query.get("page") ?? "1", Infinity, "page must be a whole number from 1.");
  const size = wholeNumber(query.get("size") ?? "10", MAX_SIZE, "size must be a whole number from 1 to 50.");
  return {
    entries: items.slice((page - 1) * size, page * size),
    page,
    size,
    pages: Math.max(1, Math.ceil(items.length / size)),
    total: items.length,
  };
}

function wholeNumber(text, max, error) {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > max) {
    throw new HttpError(400, error);
  }
  return number;
}
