import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { now_ms, sleep, until } from "../../src/machine/clock.ts";
import { type KubeApi, loadKubeApi } from "../../src/machine/kube-api.ts";
import { createMap, createNamespace, list } from "./api.ts";
import type { Entry } from "./history.ts";
import { Probe } from "./probe.ts";
import { Figures } from "./status.ts";
import { Watcher, watchers } from "./watcher.ts";

/**
 * In the operator's seat: `KUBECONFIG NAMESPACE HISTORY [MACHINE URL]...`. Writes and watches until its input ends, and asks the API
 * servers of the machines that are named; then waits for what is under way, lists what is there, and lets the watchers come so far.
 */
const writers = 2;
const every_ms = 100;
const probe_every_ms = 1_000;
const tell_ms = 200;
const begin_ms_max = 30_000;
/** The API may be away when the clients are stopped. */
const found_ms_max = 60_000;
const settle_ms_max = 30_000;

const wall_ms = (): number => performance.timeOrigin + now_ms();

async function main([
  kubeconfig = "",
  namespace = "",
  file = "",
  ...servers
]: readonly string[]): Promise<void> {
  const api = await loadKubeApi(kubeconfig);
  if (api === undefined) throw new Error(`${kubeconfig} is no kubeconfig of duet's`);
  await until(
    "the clients' namespace",
    async () => (await createNamespace(api, namespace)).outcome === "ok",
    {
      deadline_ms: begin_ms_max,
    },
  );
  const stopped = new AbortController();
  process.stdin.on("close", () => stopped.abort()).resume();
  const out = createWriteStream(file, { flags: "wx", mode: 0o600 });
  const figures = new Figures();
  const note = (entry: Entry) => {
    figures.note(entry);
    out.write(`${JSON.stringify(entry)}\n`);
  };
  const tell = () => process.stdout.write(`${JSON.stringify(figures.status(wall_ms()))}\n`);
  const teller = setInterval(tell, tell_ms);
  const watched = new AbortController();
  const follow = Array.from({ length: watchers }, (_, id) => new Watcher(api, namespace, id + 1, note));
  const following = follow.map((each) => each.follow(watched.signal));
  await Promise.all([
    ...Array.from({ length: writers }, (_, id) => write(api, namespace, `w${id + 1}`, stopped.signal, note)),
    ...probesOf(api, servers, namespace, note).map((probe) =>
      repeat(probe_every_ms, stopped.signal, () => probe.once()),
    ),
  ]);
  const found = await lastList(api, namespace);
  if (found !== undefined) {
    note({ kind: "found", ...found });
    const newest = Math.max(0, ...found.items.map(([, version]) => version));
    const behind = () => follow.some(({ version }) => version < newest);
    for (const end_ms = now_ms() + settle_ms_max; behind() && now_ms() < end_ms; ) await sleep(every_ms);
  }
  watched.abort();
  await Promise.all(following);
  note({ kind: "end" });
  out.end();
  await finished(out);
  clearInterval(teller);
  tell();
}

/** The arguments are a machine and the URL of its API server, again and again. */
function probesOf(
  { tls }: KubeApi,
  servers: readonly string[],
  namespace: string,
  note: (entry: Entry) => void,
): readonly Probe[] {
  return servers.flatMap((machine, index) =>
    index % 2 === 0 ? [new Probe({ machine, url: servers[index + 1] ?? "", tls }, namespace, note)] : [],
  );
}

async function write(
  api: KubeApi,
  namespace: string,
  prefix: string,
  stopped: AbortSignal,
  note: (entry: Entry) => void,
): Promise<void> {
  let count = 0;
  await repeat(every_ms, stopped, async () => {
    count += 1;
    const name = `${prefix}-${count}`;
    note({ kind: "call", name, at_ms: wall_ms() });
    const made = await createMap(api, namespace, name);
    note({ kind: "answer", name, at_ms: wall_ms(), ...made });
  });
}

/** A new one each time, whether the earlier ones have ended or not: who waits for an answer would not see how long it is away. */
async function repeat(pause_ms: number, stopped: AbortSignal, work: () => Promise<void>): Promise<void> {
  const calls = new Set<Promise<void>>();
  while (!stopped.aborted) {
    const call = work();
    calls.add(call);
    void call.finally(() => calls.delete(call));
    await sleep(pause_ms);
  }
  await Promise.all(calls);
}

async function lastList(api: KubeApi, namespace: string) {
  for (const end_ms = now_ms() + found_ms_max; now_ms() < end_ms; await sleep(every_ms)) {
    const answer = await list(api, namespace);
    if (answer.ok) return answer.value;
  }
  return undefined;
}

await main(process.argv.slice(2));
