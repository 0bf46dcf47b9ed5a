import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";

const FILE = new URL("../data/entries.json", import.meta.url);
const NEXT_FILE = new URL("../data/entries.json.next", import.meta.url);

/** All entries, the oldest first. */
const entries = JSON.parse(await readFile(FILE, "utf8"));
entries.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));

let saved = Promise.resolve();

/** Resolves when the entries as they are now are on disk. One write at a time, and never half a file. */
function save() {
  saved = saved.then(write, write);
  return saved;
}

async function write() {
  await writeFile(NEXT_FILE, JSON.stringify(entries, null, 2));
  await rename(NEXT_FILE, FILE);
}

export function newestFirst() {
  return entries.toReversed();
}

export function find(id) {
  return entries.find((entry) => entry.id === id);
}

export async function add({ name, message }) {
  const entry = { id: randomUUID(), name, message, createdAt: new Date().toISOString() };
  entries.push(entry);
  await save();
  return entry;
}
