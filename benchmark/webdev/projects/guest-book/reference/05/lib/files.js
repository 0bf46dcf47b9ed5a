import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const PUBLIC = fileURLToPath(new URL("../public/", import.meta.url));
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Answers a request to an address outside of the API with the file of the public folder that lies there. */
export async function handleFile(request, response, path) {
  const name = decode(path);
  if (name === undefined) {
    response.writeHead(400, { "content-type": TYPES[".txt"] }).end("Bad request");
    return;
  }
  const file = await publicFile(name === "/" ? "/index.html" : name);
  if (!file) {
    const page = await publicFile("/404.html");
    response.writeHead(404, page.headers).end(page.data);
  } else if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { "content-type": TYPES[".txt"], allow: "GET, HEAD" }).end("Method not allowed");
  } else {
    response.writeHead(200, file.headers).end(file.data);
  }
}

function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function publicFile(name) {
  const path = join(PUBLIC, name);
  if (!path.startsWith(PUBLIC) || path.endsWith(sep) || path.includes("\0")) {
    return undefined;
  }
  try {
    const data = await readFile(path);
    const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
    return { data, headers: { "content-type": type, "x-content-type-options": "nosniff" } };
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR", "ENAMETOOLONG"].includes(error.code)) {
      return undefined;
    }
    throw error;
  }
}
