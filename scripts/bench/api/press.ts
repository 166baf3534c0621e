import { Agent, request } from "node:https";
import { createNamespace } from "../../../lab/api-clients/api.ts";
import { now_ms, sleep, until } from "../../../src/machine/clock.ts";
import { loadKubeApi } from "../../../src/machine/kube-api.ts";
import type { PressCall, Pressed } from "./pressure.ts";

/**
 * `press.ts KUBECONFIG SERVER NAMESPACE CLIENTS WARM_MS WINDOW_MS`, at the operator's seat: each client creates one ConfigMap after the
 * other, on a connection that it keeps, as the programs of a cluster do. Prints when each call began and ended.
 */
const call_ms_max = 10_000;
const begin_ms_max = 30_000;
/** A small object, as most are. */
const value = "x".repeat(1_000);

const [kubeconfig = "", server = "", namespace = "", ...numbers] = process.argv.slice(2);
const [clients = 0, warm_ms = 0, window_ms = 0] = numbers.map(Number);
const api = await loadKubeApi(kubeconfig);
if (api === undefined) throw new Error(`${kubeconfig} is no kubeconfig of duet's`);
const { tls } = api;
await until(
  "the clients' namespace",
  async () => (await createNamespace({ url: server, tls }, namespace)).outcome === "ok",
  { deadline_ms: begin_ms_max },
);
const agent = new Agent({ ...tls, minVersion: "TLSv1.2", keepAlive: true, maxSockets: clients });
const url = new URL(`/api/v1/namespaces/${namespace}/configmaps`, server);

/** Whether it was created. */
async function create(name: string): Promise<boolean> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const call = request(
    url,
    {
      agent,
      method: "POST",
      signal: AbortSignal.timeout(call_ms_max),
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    },
    (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode === 201));
      answer.on("error", () => resolve(false));
    },
  );
  call.on("error", () => resolve(false));
  call.end(body);
  return await promise;
}

const calls: PressCall[] = [];
const begin_ms = now_ms() + warm_ms;
const end_ms = begin_ms + window_ms;

async function client(id: number): Promise<void> {
  for (let count = 1; now_ms() < end_ms; count += 1) {
    const call_begin_ms = now_ms();
    const ok = await create(`c${id}-${count}`);
    calls.push({ begin_ms: call_begin_ms, end_ms: now_ms(), ok });
    // Who is refused at once does not spin.
    if (!ok) await sleep(10);
  }
}

await Promise.all(Array.from({ length: clients }, (_, id) => client(id + 1)));
agent.destroy();
const pressed: Pressed = { begin_ms, end_ms, calls };
process.stdout.write(JSON.stringify(pressed));
