import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";

/**
 * `fill.ts FOLDER URL MB`, at the operator's seat: so much data, in values of 10 kB as large objects have, each a write of
 * its own: a few large ones would leave etcd with a log that no cluster has. FOLDER has the clients' certificates.
 */
const at_once = 32;
const call_ms_max = 20_000;

const value_bytes = 10_000;
const [folder = "", url = "", megabytes = "0"] = process.argv.slice(2);
const pem = (file: string): string => readFileSync(join(folder, file), "utf8");
const agent = new Agent({
  keepAlive: true,
  maxSockets: at_once,
  ca: pem("ca.crt"),
  cert: pem("client.crt"),
  key: pem("client.key"),
});
const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");

async function put(number: number): Promise<void> {
  const body = JSON.stringify({
    key: base64(`bench/fill/${number}`),
    value: randomBytes(value_bytes).toString("base64"),
  });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const call = request(
    new URL("/v3/kv/put", url),
    { method: "POST", agent, timeout: call_ms_max, headers: { "content-length": Buffer.byteLength(body) } },
    (answer) => {
      answer.resume();
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(undefined);
        else reject(new Error(`etcd answers ${answer.statusCode ?? "nothing"}`));
      });
      answer.on("error", reject);
    },
  );
  call.on("timeout", () => call.destroy(new Error(`no answer within ${call_ms_max} ms`)));
  call.on("error", reject);
  call.end(body);
  await promise;
}

const count = Math.ceil((Number(megabytes) * 1e6) / value_bytes);
let next = 0;
await Promise.all(
  Array.from({ length: at_once }, async () => {
    while (next < count) await put(next++);
  }),
);
agent.destroy();
