import { checkIfMatch, etagOf, sendConditional } from "./conditional.js";
import { CSV_TYPE, toCsv } from "./csv.js";
import { HttpError, JSON_TYPE, queryOf, readJsonObject, sendJson } from "./http.js";
import { preferred } from "./negotiate.js";
import { pageOf } from "./paging.js";
import { add, change, find, newestFirst, owns, remove } from "./store.js";
import { validEntry } from "./validate.js";

const ROUTES = [
  { path: /^\/guest-book\.csv$/, methods: { GET: downloadEntries, HEAD: downloadEntries } },
  { path: /^\/api\/entries$/, methods: { GET: listEntries, HEAD: listEntries, POST: createEntry } },
  {
    path: /^\/api\/entries\/([^/]+)$/,
    methods: { GET: showEntry, HEAD: showEntry, PUT: changeEntry, DELETE: deleteEntry },
  },
];

/** Answers a request to an address below /api/ or to the CSV. */
export async function handleApi(request, response, path) {
  try {
    const { methods, id } = routeOf(path);
    if (!Object.hasOwn(methods, request.method)) {
      throw new HttpError(405, "Method not allowed.", { headers: { allow: Object.keys(methods).join(", ") } });
    }
    await methods[request.method](request, response, id);
  } catch (error) {
    if (!(error instanceof HttpError)) {
      throw error;
    }
    sendJson(response, error.status, error.body, error.headers);
  }
}

function routeOf(path) {
  for (const route of ROUTES) {
    const match = route.path.exec(path);
    if (match) {
      return { methods: route.methods, id: match[1] };
    }
  }
  throw new HttpError(404, "Not found.");
}

function existing(id) {
  const entry = find(id);
  if (!entry) {
    throw new HttpError(404, "Not found.");
  }
  return entry;
}

/** The entry `id` if the request has its token and was made for its present state. */
function ownedEntry(request, id) {
  const entry = existing(id);
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (!token) {
    throw new HttpError(401, "A token is needed.", { headers: { "www-authenticate": "Bearer" } });
  }
  if (!owns(token, entry)) {
    throw new HttpError(403, "This token does not fit.");
  }
  checkIfMatch(request, etagOf(entryJson(entry)));
  return entry;
}

/** What everybody may see of an entry. */
function shown({ id, name, message, createdAt, updatedAt }) {
  return { id, name, message, createdAt, updatedAt };
}

function entryJson(entry) {
  return JSON.stringify(shown(entry));
}

function listEntries(request, response) {
  const headers = { vary: "Accept" };
  const type = preferred(request.headers.accept, ["application/json", "text/csv"]);
  if (!type) {
    throw new HttpError(406, "We have application/json and text/csv.", { headers });
  }
  if (type === "text/csv") {
    sendConditional(request, response, toCsv(newestFirst()), CSV_TYPE, headers);
  } else {
    const page = pageOf(newestFirst().map(shown), queryOf(request));
    sendConditional(request, response, JSON.stringify(page), JSON_TYPE, headers);
  }
}

function downloadEntries(request, response) {
  const headers = { "content-disposition": 'attachment; filename="guest-book.csv"' };
  sendConditional(request, response, toCsv(newestFirst()), CSV_TYPE, headers);
}

async function createEntry(request, response) {
  const { entry, token } = await add(validEntry(await readJsonObject(request)));
  sendJson(response, 201, { ...shown(entry), token }, { location: `/api/entries/${entry.id}` });
}

function showEntry(request, response, id) {
  sendConditional(request, response, entryJson(existing(id)), JSON_TYPE);
}

async function changeEntry(request, response, id) {
  ownedEntry(request, id);
  const content = validEntry(await readJsonObject(request));
  const entry = ownedEntry(request, id); // again: much can happen while a body comes in
  await change(entry, content);
  sendJson(response, 200, shown(entry), { etag: etagOf(entryJson(entry)) });
}

async function deleteEntry(request, response, id) {
  await remove(ownedEntry(request, id));
  response.writeHead(204).end();
}
