const MAX_BODY_BYTES = 10_240;

/** A refusal: its status, the text of the error, and what else the answer has in its body and headers. */
export class HttpError extends Error {
  constructor(status, message, { body = {}, headers = {} } = {}) {
    super(message);
    this.status = status;
    this.body = { error: message, ...body };
    this.headers = headers;
  }
}

export function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(value));
}

/** The request's body as text. One that is too large is read to its end, but not kept, so that the client gets a 413. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (size > MAX_BODY_BYTES) {
    throw new HttpError(413, "The entry is too large.");
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON object in the request's body; throws 415, 413 or 400 if there is none. */
export async function readJsonObject(request) {
  const [type] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new HttpError(415, "Please send application/json.");
  }
  const value = parseJson(await readBody(request));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError(400, "The body must be a JSON object.");
  }
  return value;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
