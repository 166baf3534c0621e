import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fail } from "../../base/problem.ts";
import { state_empty, writeState } from "../../facts/state.ts";
import { MemoryFile } from "../hands/memory.ts";
import { sightHere } from "./sight.ts";
import { taintDeeds } from "./taint.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-sight-"));
after(() => rm(folder, { recursive: true }));
const bootFile = join(folder, "boot");
await writeFile(bootFile, "boot-1\n");
const state = join(folder, "state");
const served = { ...state_empty, lineage: { epoch: 2, owner: "node1" }, full: true };

const memory = new MemoryFile(join(folder, "run"), bootFile);
const proven = (ring: string | undefined) =>
  memory.change((was) => ({ ...was, remembered: { ...was.remembered, provenIn: ring } }));
const look = (ring: string, members: readonly number[], of = memory) =>
  sightHere({
    memory: of,
    peerId: 2,
    state,
    membership: () => Promise.resolve({ ring, nodeId: 1, members, quorate: true }),
  });
const isPut = async (...given: Parameters<typeof look>): Promise<boolean> =>
  taintDeeds({ ...(await look(...given)), peer: undefined, tainted: { own: false, peer: false } }).some(
    (deed) => deed.do === "put",
  );

test("a proof is for the membership that it names, without the peer, and for no other", async () => {
  await writeState(state, served);
  await proven("1.14");
  assert.deepEqual(await look("1.14", [1]), { ring: "1.14", self: served, peerHere: false, offProven: true });
  assert.equal(await isPut("1.14", [1]), true);
  for (const [ring, members] of [
    ["1.18", [1, 2]],
    ["1.1c", [1]],
    ["1.14", [1, 2]],
  ] as const) {
    assert.equal((await look(ring, members)).offProven, false);
    assert.equal(await isPut(ring, members), false);
  }
  await proven(undefined);
  assert.equal(await isPut("1.14", [1]), false);
});

test("what was proven before a reboot is not proven", async () => {
  await writeState(state, served);
  await proven("1.14");
  const booted = join(folder, "boot-2");
  await writeFile(booted, "boot-2\n");
  assert.equal(await isPut("1.14", [1], new MemoryFile(join(folder, "run"), booted)), false);
});

test("a takeover that is under way has proven Off, and does not serve yet", async () => {
  await proven("1.14");
  await writeState(state, { ...served, takeover: { step: "intent", epoch: 3 } });
  assert.equal((await look("1.14", [1])).offProven, true);
  assert.equal(await isPut("1.14", [1]), false);
});

test("where Corosync does not tell, or duet's file is torn, nothing is known", async () => {
  await proven("1.14");
  await writeState(state, served);
  const silent = await sightHere({
    memory,
    peerId: 2,
    state,
    membership: () => Promise.resolve(fail("DUET-E-COROSYNC-SILENT", "corosync", "down", "wait")),
  });
  assert.deepEqual([silent.ring, silent.peerHere, silent.offProven], [undefined, undefined, false]);
  await writeFile(state, "torn");
  const torn = await look("1.14", [1]);
  assert.equal(torn.self, undefined);
  assert.equal(await isPut("1.14", [1]), false);
});
