import { readFile } from "node:fs/promises";

const FILE = new URL("../data/entries.json", import.meta.url);

/** All entries, the oldest first. */
const entries = JSON.parse(await readFile(FILE, "utf8"));
entries.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));

export function newestFirst() {
  return entries.toReversed();
}
