import { createHash } from "node:crypto";
import { HttpError } from "./http.js";

/** A strong ETag of what is sent. */
export function etagOf(text) {
  return `"${createHash("sha256").update(text).digest("base64url")}"`;
}

/** Sends `text` with its ETag, or 304 to those who have it already. */
export function sendConditional(request, response, text, headers) {
  const etag = etagOf(text);
  const known = request.headers["if-none-match"];
  if (known !== undefined && tagsIn(known).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag)) {
    response.writeHead(304, { "cache-control": "no-cache", etag }).end();
    return;
  }
  response.writeHead(200, { ...headers, "cache-control": "no-cache", etag }).end(text);
}

/** Throws 412 if the request was made for another state than the one with the tag `etag`. */
export function checkIfMatch(request, etag) {
  const wanted = request.headers["if-match"];
  if (wanted !== undefined && !tagsIn(wanted).some((tag) => tag === "*" || tag === etag)) {
    throw new HttpError(412, "The entry has changed in the meantime.");
  }
}

function tagsIn(header) {
  return header.split(",").map((tag) => tag.trim());
}
