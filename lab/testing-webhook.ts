import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";

/** For tests, at the operator's seat: `FOLDER ADDRESS PORT`. Prints `listening`, then each message that it takes, a line each. */
const [folder = "", address = "", port = ""] = process.argv.slice(2);
const [key, cert] = await Promise.all(["tls.key", "tls.crt"].map((name) => readFile(join(folder, name))));
const tls = { ...(key === undefined ? {} : { key }), ...(cert === undefined ? {} : { cert }) };
const server = createServer(tls, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    const { authorization = "" } = request.headers;
    process.stdout.write(`${JSON.stringify({ at_ms: Date.now(), authorization, body })}\n`);
    response.writeHead(204).end();
  });
});
server.listen(Number(port), address, () => process.stdout.write("listening\n"));
