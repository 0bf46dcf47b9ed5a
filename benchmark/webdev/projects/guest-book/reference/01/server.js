import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { sendJson } from "./lib/http.js";
import { newestFirst } from "./lib/store.js";

const PUBLIC = new URL("./public/", import.meta.url);
const FILES = new Map([
  ["/", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/style.css", { name: "style.css", type: "text/css; charset=utf-8" }],
  ["/app.js", { name: "app.js", type: "text/javascript; charset=utf-8" }],
]);

const server = createServer(async (request, response) => {
  const [path] = request.url.split("?");
  if (path === "/api/entries") {
    sendJson(response, 200, { entries: newestFirst() });
    return;
  }
  const file = FILES.get(path);
  if (!file) {
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("Not found");
    return;
  }
  const data = await readFile(new URL(file.name, PUBLIC));
  response.writeHead(200, { "content-type": file.type }).end(data);
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
