import crypto from "node:crypto";

export class Problem extends Error {
  constructor(status, text, headers = {}, fields = undefined) {
    super(text);
    Object.assign(this, { status, headers, fields });
  }
}

export function reply(req, res, status, type, content) {
  const bytes = Buffer.from(content);
  res.statusCode = status;
  res.setHeader("Content-Type", type);
  res.setHeader("Content-Length", bytes.length);
  res.end(req.method === "HEAD" ? undefined : bytes);
}

export function replyProblem(req, res, error) {
  if (!(error instanceof Problem)) {
    console.error(error);
    reply(req, res, 500, "application/json", JSON.stringify({ error: "Something went wrong." }));
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  reply(req, res, error.status, "application/json", JSON.stringify({ error: error.message, fields: error.fields }));
}

export function tagFor(content) {
  return `"${crypto.createHash("sha1").update(content).digest("hex")}"`;
}

export function replyUnlessKnown(req, res, type, content) {
  const tag = tagFor(content);
  res.setHeader("ETag", tag);
  res.setHeader("Cache-Control", "no-cache");
  const known = req.headers["if-none-match"] ?? "";
  if (known.trim() === "*" || known.includes(tag)) {
    res.statusCode = 304;
    res.end();
  } else {
    reply(req, res, 200, type, content);
  }
}
