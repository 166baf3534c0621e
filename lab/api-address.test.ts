import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { cibConfiguration } from "../src/render/cib.ts";
import { addressAgentFiles } from "../src/render/address-agent.ts";
import { readSite } from "../src/site/read.ts";
import { minimal } from "../src/site/samples.ts";
import { cibOf, complaints, done, folder, plan, saying } from "./testing-scheduler.ts";
import { imageRoot } from "./testing-image.ts";

// And the agent itself, from the same image.

function cib(address: string, text: string, fencing = ""): string {
  const { site } = readSite(`${text}kubernetes: {}\napi: { address: "${address}" }\n${fencing}`, "site.yaml");
  assert.ok(site !== undefined);
  return cibOf(cibConfiguration(site, new Map()).xml);
}
const four = (fencing = "") => cib("192.0.2.10", minimal, fencing);
const six = () => cib("2001:db8::10", minimal.replaceAll("192.0.2.", "2001:db8::"));

test("crm_verify accepts the configuration, for either family and either answer to a failed stop", async () => {
  for (const text of [four(), four("fencing: { stop_failure: fence }\n"), six()])
    assert.equal(await complaints(text), "");
});

/** What each machine says of its API server, and where the address is; undefined: it says nothing. */
interface Scene {
  readonly on: "node1" | "node2";
  readonly said: readonly [node1: string | undefined, node2: string | undefined];
  readonly lost?: string;
}

const says = (cib: string, said: Scene["said"]): string => {
  const [node1, node2] = said.map((value) => (value === undefined ? {} : { "duet-api": value }));
  return saying(cib, [node1 ?? {}, node2 ?? {}]);
};

/** Both are up, and everything runs: the scheduler itself has said where. The address is led to its place first. */
async function up(on: Scene["on"]): Promise<string> {
  const first = await done(four(), "--node-up", "node1", "--node-up", "node2");
  if (on === "node1") return first;
  return says(await done(says(first, [undefined, "100"])), [undefined, undefined]);
}

const ups = new Map<Scene["on"], string>();
async function scene({ on, said }: Pick<Scene, "on" | "said">): Promise<string> {
  const whole = ups.get(on) ?? (await up(on));
  ups.set(on, whole);
  return says(whole, said);
}

const planOf = async ({ lost, ...of }: Scene) =>
  await plan(await scene(of), ...(lost === undefined ? [] : ["--node-fail", lost]));

const [yes, no] = ["100", "0"];
const standings = ["100", "60", "20", "0", undefined] as const;

/** What the holder says, and for which words of the other one the address moves there. */
const moving: readonly (readonly [holder: string | undefined, others: readonly (string | undefined)[]])[] = [
  ["100", []],
  ["60", []],
  ["20", ["100"]],
  ["0", ["100", "60"]],
  [undefined, ["100", "60"]],
];

test("it moves to one that is ready from who does not answer, to one on probation from who is lost, and for nothing else", async () => {
  for (const [holder, others] of moving)
    for (const other of standings) {
      const moves = others.includes(other);
      const there = await planOf({ on: "node1", said: [holder, other] });
      const back = await planOf({ on: "node2", said: [other, holder] });
      const what = `${holder} ${other}`;
      assert.deepEqual(there.deeds, moves ? ["Move duet-api ( node1 -> node2 )"] : [], what);
      assert.deepEqual(back.deeds, moves ? ["Move duet-api ( node2 -> node1 )"] : [], what);
    }
});

test("of a lost machine it is taken only after its fence, whatever the API servers said", async () => {
  for (const said of [
    [yes, yes],
    [yes, no],
    [no, no],
  ] as const) {
    const { deeds, before } = await planOf({ on: "node1", said, lost: "node1" });
    assert.ok(deeds.some((deed) => deed.startsWith("Fence (off) node1")));
    assert.ok(deeds.includes("Move duet-api ( node1 -> node2 )"));
    // Its stop is the fence's doing, too.
    assert.deepEqual(before("duet-api_start_0"), ["duet-api_stop_0", "stonith-node1-off"]);
    assert.deepEqual(before("duet-api_stop_0"), ["stonith-node1-off"]);
  }
});

test("what holds it stays put when its peer is lost: no step of it waits for the fence or comes after", async () => {
  const { deeds } = await planOf({ on: "node2", said: [yes, no], lost: "node1" });
  assert.ok(deeds.some((deed) => deed.startsWith("Fence (off) node1")));
  assert.ok(!deeds.some((deed) => deed.includes("duet-api")), deeds.join("; "));
});

test("an address that can't be held never stops or fences anything else", async () => {
  for (const failure of ["duet-api_monitor_10000@node1=7", "duet-api_monitor_10000@node1=1"]) {
    const { deeds } = await plan(await scene({ on: "node1", said: [yes, yes] }), "--op-inject", failure);
    assert.deepEqual(deeds, ["Recover duet-api ( node1 )"]);
  }
});

const script = join(import.meta.dirname, "api-address.sh");

async function moves(address: string): Promise<readonly string[]> {
  const [agent] = addressAgentFiles;
  assert.ok(agent !== undefined && typeof agent.content === "string");
  await writeFile(join(folder, "address"), agent.content, { mode: agent.mode });
  const command = ["unshare", "--mount", "--net", "sh", script, await imageRoot(), folder, address] as const;
  const { stdout } = await run(command, { deadline_ms: 60_000 });
  return stdout.trim().split("\n");
}

const moved = (has: RegExp, lines: readonly string[]): void => {
  assert.deepEqual(
    lines.map((line) => (has.test(line) ? "has it" : line)),
    [
      "validate-all on node1: 0",
      // Of a network that nobody here is in; and none at all.
      "validate-all on node1: 1",
      "validate-all on node1: 6",
      "start on node1: 1",
      "promote on node1: 3",
      "monitor on node1: 7",
      "start on node1: 0",
      "start on node1: 0",
      "validate-all on node1: 0",
      "has it",
      "reached",
      "the neighbour sends to node1",
      "monitor on node1: 1",
      "stop on node1: 1",
      // Alone.
      "stop on node1: 0",
      "start on node1: 0",
      // Beside the other one again.
      "stop on node1: 0",
      "monitor on node1: 7",
      "start on node2: 0",
      "the neighbour sends to node2",
      "reached",
      "monitor on node2: 0",
      "stop on node2: 0",
      "monitor on node2: 7",
      "stop on node2: 0",
      // Alone, and the other one is not proven off.
      "start on node2: 1",
      "monitor on node2: 7",
    ],
  );
};

test("the agent finds the interface by the address, and tells the neighbours where it is now", async () => {
  moved(/^has eth0 +inet 192\.0\.2\.10\/24 .* secondary /, await moves("192.0.2.10"));
});

test("and the same for IPv6, where the address is no source of connections", async () => {
  moved(/^has eth0 +inet6 2001:db8::10\/64 .* deprecated /, await moves("2001:db8::10"));
});
