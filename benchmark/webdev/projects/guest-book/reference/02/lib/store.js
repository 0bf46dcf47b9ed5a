import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

const FILE = new URL("../data/entries.json", import.meta.url);

/** All entries, the oldest first. */
const entries = JSON.parse(await readFile(FILE, "utf8"));
entries.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));

export function newestFirst() {
  return entries.toReversed();
}

export function find(id) {
  return entries.find((entry) => entry.id === id);
}

export function add({ name, message }) {
  const entry = { id: randomUUID(), name, message, createdAt: new Date().toISOString() };
  entries.push(entry);
  return entry;
}
