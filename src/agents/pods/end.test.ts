import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../machine/clock.ts";
import { usual } from "./container.ts";
import { endPods } from "./end.ts";
import type { Kind, PodProcess } from "./order.ts";

interface Played {
  readonly kind: Kind;
  /** So long it takes to end when it is told; undefined: it does not heed it. */
  readonly ends_ms?: number;
  /** Not even SIGKILL ends it. */
  readonly held?: true;
}

/** A machine of which time passes when somebody rests. */
async function play(
  played: readonly Played[],
  leases: readonly string[] = [],
  mark: (log: string[]) => Promise<string> = () => Promise.resolve("6 of 6 marked"),
) {
  let clock_ms = 0;
  const running = new Map(played.map((each, index) => [index + 1, { ...each, until_ms: Infinity }]));
  const log: string[] = [];
  const said: string[] = [];
  await endPods((line) => said.push(line), {
    look: () => {
      for (const [pid, { until_ms }] of running) if (until_ms <= clock_ms) running.delete(pid);
      const all = [...running].map(
        ([pid, { kind }]): PodProcess => ({ pid, parent: 0, name: kind, kind, wish: usual }),
      );
      return Promise.resolve(all);
    },
    send: ({ pid, signal }) => {
      const each = running.get(pid);
      assert.ok(each !== undefined);
      if (signal !== "SIGKILL") log.push(`${clock_ms} ${each.kind}`);
      if (signal === "SIGKILL" && each.held !== true) each.until_ms = clock_ms;
      else if (each.ends_ms !== undefined) each.until_ms = clock_ms + each.ends_ms;
    },
    mark: () => mark(log),
    free: () => {
      if (leases.length > 0) log.push(`${clock_ms} free`);
      return Promise.resolve(leases);
    },
    now_ms: () => clock_ms,
    rest: (ms) => {
      clock_ms += ms;
      return Promise.resolve();
    },
  });
  return { log, said, clock_ms };
}

test("one after the other, each as soon as it may", async () => {
  const { log, said } = await play([
    { kind: "sandbox", ends_ms: 0 },
    { kind: "api", ends_ms: 1_000 },
    { kind: "other", ends_ms: 300 },
    { kind: "other", ends_ms: 2_000 },
  ]);
  assert.deepEqual(log, ["0 other", "0 other", "2000 api", "3000 sandbox"]);
  assert.deepEqual(said, ["4 told, all ended after 3.1 s, 6 of 6 marked"]);
});

test("with nothing there it says so at once", async () => {
  assert.deepEqual(await play([]), { log: [], said: ["none"], clock_ms: 0 });
});

test("who heeds nothing is killed in the end, and holds up the API server for half of the time", async () => {
  const { log, said } = await play([{ kind: "other" }, { kind: "api", ends_ms: 1_000 }]);
  assert.deepEqual(log, ["0 other", "15000 api"]);
  assert.deepEqual(said, ["2 told, all ended after 30.1 s, 1 killed (other), 6 of 6 marked"]);
});

test("what can't be ended at all is left, in bounded time", async () => {
  const { said } = await play([{ kind: "other", held: true }]);
  assert.deepEqual(said, ["1 told, 1 still there after 32.0 s, 1 killed (other)"]);
});

test("what the controllers held is freed when they have ended, once, and before the API server is told", async () => {
  const pods = [
    { kind: "sandbox", ends_ms: 0 },
    { kind: "api", ends_ms: 1_000 },
    { kind: "other", ends_ms: 300 },
  ] as const;
  const { log, said } = await play(pods, ["kube-scheduler"]);
  assert.deepEqual(log, ["0 other", "300 free", "300 api", "1300 sandbox"]);
  assert.deepEqual(said, ["3 told, all ended after 1.4 s, 6 of 6 marked, freed the leases kube-scheduler"]);
});

test("nothing is freed while a controller may still run, and where its API server is gone", async () => {
  const held = await play([{ kind: "other", held: true }, { kind: "api" }], ["kube-scheduler"]);
  assert.ok(!held.log.some((line) => line.endsWith("free")));
  const alone = await play(
    [
      { kind: "other", ends_ms: 100 },
      { kind: "sandbox", ends_ms: 500 },
    ],
    ["x"],
  );
  assert.ok(!alone.log.some((line) => line.endsWith("free")));
});

test("the API hears of it once, while its server is there, and is waited for before that is told to end", async () => {
  const pods = [
    { kind: "api", ends_ms: 1_000 },
    { kind: "other", ends_ms: 300 },
  ] as const;
  const { log, said } = await play(pods, ["kube-scheduler"], async (log) => {
    log.push("begun");
    await sleep(20);
    log.push("marked");
    return "6 of 6 marked";
  });
  assert.deepEqual(log, ["begun", "0 other", "marked", "300 free", "300 api"]);
  assert.deepEqual(said, ["2 told, all ended after 1.3 s, 6 of 6 marked, freed the leases kube-scheduler"]);
});

test("whatever comes of that, the pods end; and where no API server is there, nobody is asked", async () => {
  const failing = () => Promise.reject(new Error("no such file"));
  const { log, said } = await play([{ kind: "api", ends_ms: 100 }], [], failing);
  assert.deepEqual(log, ["0 api"]);
  assert.deepEqual(said, ["1 told, all ended after 0.1 s, Error: no such file"]);
  const alone = await play([{ kind: "other", ends_ms: 100 }], [], failing);
  assert.deepEqual(alone.said, ["1 told, all ended after 0.1 s"]);
});
