import { Problem } from "./replies.js";

const largest = 10 * 1024;

function bytesOf(req) {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    let tooMany = false;
    req.on("data", (chunk) => {
      tooMany ||= bytes.length + chunk.length > largest;
      if (!tooMany) bytes = Buffer.concat([bytes, chunk]);
    });
    req.on("end", () => (tooMany ? reject(new Problem(413, "The entry is too large.")) : resolve(bytes)));
    req.on("error", reject);
  });
}

export async function objectFrom(req) {
  if (!/^application\/json\s*(;|$)/i.test(req.headers["content-type"] ?? "")) {
    throw new Problem(415, "Please send application/json.");
  }
  const text = (await bytesOf(req)).toString();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw new Problem(400, "The body must be a JSON object.");
  }
  return value;
}

function fieldProblem(text, most, empty, label) {
  if (!text) return empty;
  return Array.from(text).length > most ? `${label} may have at most ${most} characters.` : undefined;
}

export function entryFrom(value) {
  const [name, message] = [value.name, value.message].map((text) => (typeof text === "string" ? text.trim() : ""));
  const problems = {
    name: fieldProblem(name, 40, "Please enter your name.", "Your name"),
    message: fieldProblem(message, 280, "Please write a message.", "Your message"),
  };
  if (problems.name || problems.message) throw new Problem(422, "Please check your entry.", {}, problems);
  return { name, message };
}

export function numberFrom(query, key, normal, most, error) {
  if (!query.has(key)) return normal;
  const text = query.get(key);
  const number = /^[0-9]+$/.test(text) ? parseInt(text, 10) : 0;
  if (number < 1 || number > most) throw new Problem(400, error);
  return number;
}

export function chooseType(accept = "*/*") {
  const weights = new Map();
  for (const part of accept.toLowerCase().replaceAll(" ", "").split(",")) {
    const [range, ...rest] = part.split(";");
    const q = rest.find((parameter) => parameter.startsWith("q="));
    weights.set(range, q ? parseFloat(q.substring(2)) : 1);
  }
  const any = weights.get("*/*") ?? 0;
  const json = weights.get("application/json") ?? weights.get("application/*") ?? any;
  const csv = weights.get("text/csv") ?? weights.get("text/*") ?? any;
  if (json === 0 && csv === 0) return null;
  return csv > json ? "csv" : "json";
}

export function csvOf(entries) {
  let text = "id,name,message,createdAt\r\n";
  for (const { id, name, message, createdAt } of entries) {
    const cells = [id, name, message, createdAt].map((value) => {
      const safe = "=+-@".includes(value[0]) ? `'${value}` : value;
      return `"${safe.split('"').join('""')}"`;
    });
    text += cells.join(",") + "\r\n";
  }
  return text;
}
