import { HttpError, readJsonObject, sendJson } from "./http.js";
import { add, find, newestFirst } from "./store.js";
import { validEntry } from "./validate.js";

const ROUTES = [
  { path: /^\/api\/entries$/, methods: { GET: listEntries, POST: createEntry } },
  { path: /^\/api\/entries\/([^/]+)$/, methods: { GET: showEntry } },
];

/** Answers a request to the API; false if it has no such address or method. */
export async function handleApi(request, response, path) {
  for (const route of ROUTES) {
    const match = route.path.exec(path);
    const handler = match && route.methods[request.method];
    if (handler) {
      return (await answer(handler, request, response, match[1])) ?? true;
    }
  }
  return false;
}

async function answer(handler, request, response, id) {
  try {
    return await handler(request, response, id);
  } catch (error) {
    if (!(error instanceof HttpError)) {
      throw error;
    }
    sendJson(response, error.status, error.body, error.headers);
  }
}

function listEntries(request, response) {
  sendJson(response, 200, { entries: newestFirst() });
}

async function createEntry(request, response) {
  const entry = add(validEntry(await readJsonObject(request)));
  sendJson(response, 201, entry, { location: `/api/entries/${entry.id}` });
}

function showEntry(request, response, id) {
  const entry = find(id);
  if (!entry) {
    return false;
  }
  sendJson(response, 200, entry);
}
