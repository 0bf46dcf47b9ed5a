import { createServer } from "node:http";
import { handleApi } from "./lib/api.js";
import { handleFile } from "./lib/files.js";

async function handle(request, response) {
  const [path] = request.url.split("?");
  if (path.startsWith("/api/")) {
    await handleApi(request, response, path);
  } else {
    await handleFile(request, response, path);
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
