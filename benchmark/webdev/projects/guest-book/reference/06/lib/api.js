import { HttpError, readJsonObject, sendJson } from "./http.js";
import { add, find, newestFirst } from "./store.js";
import { validEntry } from "./validate.js";

const ROUTES = [
  { path: /^\/api\/entries$/, methods: { GET: listEntries, HEAD: listEntries, POST: createEntry } },
  { path: /^\/api\/entries\/([^/]+)$/, methods: { GET: showEntry, HEAD: showEntry } },
];

/** Answers a request to an address below /api/. */
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

function listEntries(request, response) {
  sendJson(response, 200, { entries: newestFirst() });
}

async function createEntry(request, response) {
  const entry = await add(validEntry(await readJsonObject(request)));
  sendJson(response, 201, entry, { location: `/api/entries/${entry.id}` });
}

function showEntry(request, response, id) {
  sendJson(response, 200, existing(id));
}
