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

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON object in the request's body; throws 415 or 400 if there is none. */
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
