import http from "node:http";
import path from "node:path";
import { GuestBook } from "./src/book.js";
import { bookPage, notFoundPage } from "./src/pages.js";
import { Problem, reply, replyProblem, replyUnlessKnown, tagFor } from "./src/replies.js";
import { chooseType, csvOf, entryFrom, numberFrom, objectFrom } from "./src/requests.js";
import { staticFile } from "./src/static.js";

const here = import.meta.dirname;
const publicFolder = path.join(here, "public");
const book = new GuestBook(path.join(here, "data"));

function pageOfBook(query) {
  const page = numberFrom(query, "page", 1, Number.MAX_SAFE_INTEGER, "page must be a whole number from 1.");
  const size = numberFrom(query, "size", 10, 50, "size must be a whole number from 1 to 50.");
  const all = book.visible();
  const pages = Math.ceil(all.length / size) || 1;
  return { page, size, pages, total: all.length, entries: all.slice(size * (page - 1), size * page) };
}

function entryAt(id) {
  const entry = book.get(id);
  if (!entry) throw new Problem(404, "Not found.");
  return entry;
}

function authorise(req, id) {
  const entry = entryAt(id);
  const given = req.headers.authorization ?? "";
  if (!given.startsWith("Bearer ")) {
    throw new Problem(401, "A token is needed.", { "WWW-Authenticate": 'Bearer realm="guest book"' });
  }
  if (!book.isToken(id, given.slice("Bearer ".length).trim())) throw new Problem(403, "This token does not fit.");
  const condition = req.headers["if-match"];
  if (condition && condition !== "*") {
    const present = tagFor(JSON.stringify(entry));
    if (!condition.split(/\s*,\s*/).includes(present)) {
      throw new Problem(412, "The entry has changed in the meantime.");
    }
  }
}

const collection = {
  GET(req, res, { query }) {
    res.setHeader("Vary", "Accept");
    const type = chooseType(req.headers.accept);
    if (type === "csv") {
      replyUnlessKnown(req, res, "text/csv; charset=utf-8", csvOf(book.visible()));
    } else if (type === "json") {
      replyUnlessKnown(req, res, "application/json", JSON.stringify(pageOfBook(query)));
    } else {
      throw new Problem(406, "We have application/json and text/csv.");
    }
  },
  async POST(req, res) {
    const { name, message } = entryFrom(await objectFrom(req));
    const { entry, token } = book.sign(name, message);
    res.setHeader("Location", `/api/entries/${entry.id}`);
    reply(req, res, 201, "application/json", JSON.stringify({ ...entry, token }));
  },
};

const single = {
  GET(req, res, { id }) {
    replyUnlessKnown(req, res, "application/json", JSON.stringify(entryAt(id)));
  },
  async PUT(req, res, { id }) {
    authorise(req, id);
    const { name, message } = entryFrom(await objectFrom(req));
    authorise(req, id);
    const text = JSON.stringify(book.edit(id, name, message));
    res.setHeader("ETag", tagFor(text));
    reply(req, res, 200, "application/json", text);
  },
  DELETE(req, res, { id }) {
    authorise(req, id);
    book.remove(id);
    res.writeHead(204);
    res.end();
  },
};

const download = {
  GET(req, res) {
    res.setHeader("Content-Disposition", "attachment; filename=guest-book.csv");
    replyUnlessKnown(req, res, "text/csv; charset=utf-8", csvOf(book.visible()));
  },
};

function resourceFor(pathname) {
  if (pathname === "/api/entries") return [collection];
  if (pathname === "/guest-book.csv") return [download];
  const parts = pathname.split("/");
  if (parts.length === 4 && parts[1] === "api" && parts[2] === "entries") return [single, parts[3]];
  throw new Problem(404, "Not found.");
}

async function serveResource(req, res, pathname, query) {
  const [resource, id] = resourceFor(pathname);
  const method = req.method === "HEAD" ? "GET" : req.method;
  if (!Object.keys(resource).includes(method)) {
    throw new Problem(405, "Method not allowed.", { Allow: ["HEAD", ...Object.keys(resource)].join(", ") });
  }
  await resource[method](req, res, { id, query });
}

function serveBookPage(req, res, query) {
  const wanted = /^[1-9]\d{0,8}$/.test(query.get("page") ?? "") ? query.get("page") : "1";
  let shown = pageOfBook(new URLSearchParams({ page: wanted }));
  if (shown.page > shown.pages) shown = pageOfBook(new URLSearchParams({ page: shown.pages }));
  reply(req, res, 200, "text/html; charset=utf-8", bookPage(shown));
}

function serveOther(req, res, pathname, query) {
  let name;
  try {
    name = decodeURIComponent(pathname);
  } catch {
    reply(req, res, 400, "text/plain; charset=utf-8", "This address cannot be read.\n");
    return;
  }
  const isBook = name === "/" || name === "/index.html";
  const file = isBook ? undefined : staticFile(publicFolder, name);
  if (!isBook && !file) {
    reply(req, res, 404, "text/html; charset=utf-8", notFoundPage());
  } else if (!["GET", "HEAD"].includes(req.method)) {
    res.setHeader("Allow", "GET, HEAD");
    reply(req, res, 405, "text/plain; charset=utf-8", "Method not allowed.\n");
  } else if (isBook) {
    serveBookPage(req, res, query);
  } else {
    reply(req, res, 200, file.type, file.content);
  }
}

http
  .createServer(async (req, res) => {
    res.setHeader("X-Content-Type-Options", "nosniff");
    const mark = req.url.indexOf("?");
    const pathname = mark === -1 ? req.url : req.url.substring(0, mark);
    const query = new URLSearchParams(mark === -1 ? "" : req.url.substring(mark + 1));
    try {
      if (pathname.startsWith("/api/") || pathname === "/guest-book.csv") {
        await serveResource(req, res, pathname, query);
      } else {
        serveOther(req, res, pathname, query);
      }
    } catch (error) {
      replyProblem(req, res, error);
    }
  })
  .listen({ host: "127.0.0.1", port: process.env.PORT || 3000 });
