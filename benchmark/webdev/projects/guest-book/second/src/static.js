import fs from "node:fs";
import path from "node:path";

/** The file `name` below `folder` with its type, or nothing. */
export function staticFile(folder, name) {
  if (name.includes("\0")) return undefined;
  const target = path.resolve(folder, `.${path.posix.sep}${name}`);
  const inside = path.relative(folder, target);
  if (inside === "" || inside.split(path.sep)[0] === ".." || path.isAbsolute(inside)) return undefined;
  if (!fs.statSync(target, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { type: typeFor(target), content: fs.readFileSync(target) };
}

function typeFor(file) {
  switch (path.extname(file)) {
    case ".html":
      return "text/html; charset=utf-8";
    case ".css":
      return "text/css; charset=utf-8";
    case ".js":
      return "text/javascript; charset=utf-8";
    case ".txt":
      return "text/plain; charset=utf-8";
    case ".svg":
      return "image/svg+xml";
    case ".png":
      return "image/png";
    default:
      return "application/octet-stream";
  }
}
