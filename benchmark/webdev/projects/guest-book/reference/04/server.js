import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { handleApi } from "./lib/api.js";

const PUBLIC = new URL("./public/", import.meta.url);
const FILES = new Map([
  ["/", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/style.css", { name: "style.css", type: "text/css; charset=utf-8" }],
  ["/app.js", { name: "app.js", type: "text/javascript; charset=utf-8" }],
]);
const NOT_FOUND = { name: "404.html", type: "text/html; charset=utf-8" };

async function handleFile(response, path) {
  const file = FILES.get(path);
  const { name, type } = file ?? NOT_FOUND;
  const data = await readFile(new URL(name, PUBLIC));
  response.writeHead(file ? 200 : 404, { "content-type": type }).end(data);
}

async function handle(request, response) {
  const [path] = request.url.split("?");
  if (path.startsWith("/api/")) {
    await handleApi(request, response, path);
  } else {
    await handleFile(response, path);
  }
}

const server = createServer(async (request, response) => {
  try {
    await handle(request, response);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) {
      response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
    }
    response.end();
  }
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
