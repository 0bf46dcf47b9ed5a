import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** The entries, kept in book.json; the first start takes over entries.json. */
export class GuestBook {
  #file;
  #lastId = 0;
  #records = new Map();

  constructor(folder) {
    this.#file = path.join(folder, "book.json");
    if (fs.existsSync(this.#file)) {
      const { lastId, records } = JSON.parse(fs.readFileSync(this.#file, "utf8"));
      this.#lastId = lastId;
      this.#records = new Map(records.map((record) => [record.entry.id, record]));
    } else {
      const old = JSON.parse(fs.readFileSync(path.join(folder, "entries.json"), "utf8"));
      old.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
      for (const entry of old) {
        this.#records.set(entry.id, { entry, token: null });
        this.#lastId = Math.max(this.#lastId, Number(entry.id));
      }
    }
  }

  visible() {
    return [...this.#records.values()].map((record) => record.entry).reverse();
  }

  get(id) {
    return this.#records.get(id)?.entry;
  }

  sign(name, message) {
    const id = String(++this.#lastId);
    const record = {
      entry: { id, name, message, createdAt: new Date().toISOString() },
      token: crypto.randomUUID(),
    };
    this.#records.set(id, record);
    this.#store();
    return record;
  }

  edit(id, name, message) {
    const record = this.#records.get(id);
    record.entry = { ...record.entry, name, message, updatedAt: new Date().toISOString() };
    this.#store();
    return record.entry;
  }

  remove(id) {
    this.#records.delete(id);
    this.#store();
  }

  isToken(id, given) {
    const { token } = this.#records.get(id);
    return token !== null && token === given;
  }

  #store() {
    const fresh = `${this.#file}.tmp`;
    fs.writeFileSync(fresh, JSON.stringify({ lastId: this.#lastId, records: [...this.#records.values()] }));
    fs.renameSync(fresh, this.#file);
  }
}
