import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { logOf } from "../../act/testing.ts";
import { failed, type LogFacts, type Published, success } from "../../act/effects.ts";
import { fail } from "../../base/problem.ts";
import { empty, type Facts, no_word } from "../../decide/facts.ts";
import { state_empty } from "../../facts/state.ts";
import type { NodeView, View } from "../../machine/pacemaker-view.ts";
import { fakeService } from "../../redfish/testing.ts";
import { password, testTls, username } from "../../../lab/bmc/testing.ts";
import { factsAttribute } from "./attributes.ts";
import { gatherFacts, ownFacts, type Sources } from "./facts.ts";
import { offIsTrue } from "./false-off.ts";
import { MemoryFile } from "./memory.ts";
import { quorumEffects } from "./quorum.ts";
import { encodeSaying } from "./saying.ts";
import { tagText } from "./tag.ts";
import { FakeCorosync, FakePacemaker } from "./testing.ts";
import { twoMachines } from "./testing-site.ts";
import { Ways } from "./ways.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-facts-"));
await writeFile(join(folder, "boot"), "boot-1\n");
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`, { mode: 0o600 });
const kit = { tls: await testTls(), login: { username, password } };
const system = { PowerState: "On", AssetTag: "" };
const service = await fakeService(kit, ({ path }) => ({
  body:
    path === "/redfish/v1/"
      ? { Systems: { "@odata.id": "/redfish/v1/Systems" } }
      : path === "/redfish/v1/Systems"
        ? { Members: [{ "@odata.id": "/redfish/v1/Systems/1" }] }
        : system,
}));
after(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
const url = `https://127.0.0.1:${service.port}`;
const site = twoMachines({ node1: url, node2: url });

const calm: NodeView = { online: true, unclean: false, standby: false, shutdown: false };
const log: LogFacts = { ...logOf(empty), data: true, standing: "voter", others: "b" };
const peerSays: Published = {
  holding: { ...empty, data: true, standing: "voter", others: "a", lineage: { epoch: 3, owner: "node1" } },
  serving: false,
  running: false,
  leaving: true,
  isNew: false,
  witness: "on",
  boot: "node2-1",
  turn: 1,
  logEnd: undefined,
};

let count = 0;
class Machine {
  readonly corosync = new FakeCorosync();
  readonly pacemaker = new FakePacemaker();
  readonly memory = new MemoryFile(join(folder, String(++count)), join(folder, "boot"));
  view: View | undefined = {
    nodes: new Map([
      ["node1", calm],
      ["node2", calm],
    ]),
    activeOn: new Set(["node1", "node2"]),
    stopFailedOn: new Set(),
  };
  asked = 0;
  sources: Sources = {
    ways: new Ways({ site, me: "node1", folder }),
    saying: {
      me: "node1",
      peerName: "node2",
      peerId: 2,
      resource: "duet-etcd",
      memory: this.memory,
      corosync: this.corosync,
      pacemaker: this.pacemaker.of("node1"),
    },
    program: async () => "3.6.16",
    peerVersions: async () => ({ peer: "3.6.16", cluster: "3.6.0" }),
    readState: async () => success({ ...state_empty, lineage: { epoch: 3, owner: "node1" }, full: true }),
    inspect: async () => success(log),
    etcd: async () => ({ running: true, leader: true, failedStarts: 0 }),
    isSole: async () => false,
    peerServes: async () => {
      this.asked++;
      return true;
    },
    word: async (ring) => (ring === "1.d" ? { ...no_word, peerDown: true } : no_word),
    firstStart: async () => false,
    witness: async () => "on",
    view: async () => this.view,
  };

  peerPublishes(ring: string, said = peerSays): void {
    this.pacemaker.values.set(`node2 ${factsAttribute}`, `${ring} ${encodeSaying(said)}`);
  }
}

test("a picture of two machines together, and what is left of it when one is lost", async () => {
  const machine = new Machine();
  machine.peerPublishes("1.9");
  const whole = await gatherFacts(machine.sources);
  assert.deepEqual(whole.peer, {
    seen: "now",
    facts: peerSays.holding,
    serving: true,
    running: true,
    stuck: false,
    leaving: true,
  });
  assert.equal(whole.self.echo, "a");
  assert.equal(whole.self.full, true);
  assert.equal(whole.peerPower, "on");
  assert.deepEqual(whole.tags, { mine: { kind: "blank" }, theirs: { kind: "blank" } });
  assert.deepEqual([whole.started, whole.stopping, whole.fencePending], [true, "restart", false]);

  machine.corosync.lose("1.d");
  const lost = await gatherFacts(machine.sources);
  assert.deepEqual(lost.peer, { seen: "before", facts: peerSays.holding });
  assert.equal(lost.word.peerDown, true);
  assert.equal(machine.asked, 1, "an etcd that is lost is not waited for");
  assert.equal(lost.proof, "none");
  const quorum = quorumEffects(machine.sources.saying);
  await quorum.noteOff("1.d", false);
  assert.equal((await gatherFacts(machine.sources)).proof, "off");
  machine.corosync.join("1.11");
  // What it said before is not what it says now.
  const back = await gatherFacts(machine.sources);
  assert.equal(back.proof, "void");
  assert.deepEqual(back.peer, {
    seen: "now",
    facts: undefined,
    serving: true,
    running: true,
    stuck: false,
    leaving: false,
  });
});

test("a peer that is heard again in the boot of which Off was read is told once for each such Off, by one of several agents", async () => {
  const machine = new Machine();
  const told: string[] = [];
  const agent: Sources = {
    ...machine.sources,
    saying: { ...machine.sources.saying, falseOff: (ring) => void told.push(ring) },
  };
  const quorum = quorumEffects(agent.saying);
  const lose = async (ring: string) => {
    machine.corosync.lose(ring);
    await gatherFacts(agent);
    await quorum.noteOff(ring, false);
  };
  const isBack = async (ring: string, boot: string | undefined) => {
    machine.corosync.join(ring);
    await ownFacts(agent);
    machine.peerPublishes(ring, { ...peerSays, boot });
    await Promise.all([ownFacts(agent), ownFacts(agent), gatherFacts(agent)]);
  };
  machine.peerPublishes("1.9");
  await gatherFacts(agent);
  await lose("1.d");
  await isBack("1.11", "node2-1");
  assert.deepEqual(told, ["1.d"], "it says the very same as before, and ran on");
  const { falseOff_ms } = machine.memory.read();
  assert.ok(falseOff_ms !== undefined && Math.abs(Date.now() - falseOff_ms) < 60_000);
  await lose("1.15");
  await isBack("1.19", "node2-1");
  assert.deepEqual(told, ["1.d", "1.15"]);
  // It was off, or nobody knows: an older duet does not name its boot.
  for (const [index, boot] of ["node2-2", undefined, "node2-3"].entries()) {
    await lose(`1.${index + 2}1`);
    await isBack(`1.${index + 2}5`, boot);
  }
  // A planned goodbye: no Off was read, and it is back in the same boot.
  machine.corosync.lose("1.61");
  await gatherFacts(agent);
  await isBack("1.65", "node2-3");
  assert.deepEqual(told, ["1.d", "1.15"]);
  assert.equal((await machine.memory.change(offIsTrue)).falseOff_ms, undefined);
});

test("tags and power, as the BMC tells them", async () => {
  const machine = new Machine();
  system.AssetTag = tagText(site, { epoch: 9, owner: "node2" });
  system.PowerState = "Off";
  try {
    const { tags, peerPower } = await gatherFacts(machine.sources);
    assert.deepEqual(tags.theirs, { kind: "lineage", epoch: 9, owner: "node2" });
    assert.deepEqual(tags.mine, tags.theirs);
    assert.equal(peerPower, "off");
  } finally {
    system.AssetTag = "";
    system.PowerState = "On";
  }
});

test("what Pacemaker believes", async () => {
  const machine = new Machine();
  const view = (peer: Partial<NodeView>, own: Partial<NodeView> = {}): View => ({
    nodes: new Map([
      ["node1", { ...calm, ...own }],
      ["node2", { ...calm, ...peer }],
    ]),
    activeOn: new Set(),
    stopFailedOn: new Set(["node2"]),
  });
  const seeing = async (next: View | undefined) => {
    machine.view = next;
    return await gatherFacts(machine.sources);
  };
  const stuck = await seeing(view({ unclean: true }, { standby: true }));
  assert.ok(stuck.peer.seen === "now" && stuck.peer.stuck);
  assert.deepEqual([stuck.fencePending, stuck.started, stuck.stopping], [true, false, "standby"]);
  assert.equal((await seeing(view({}, { standby: true, shutdown: true }))).stopping, "shutdown");
  machine.corosync.lose("1.d");
  assert.equal((await seeing(view({ online: true }))).fencePending, true, "it has not heard of the loss yet");
  assert.equal((await seeing(view({ online: false }))).fencePending, false, "it left with a goodbye");
  assert.equal((await seeing(view({ online: false, unclean: true }))).fencePending, true);
  assert.equal((await seeing(undefined)).fencePending, true);
});

test("of what can't be read nothing is assumed", async () => {
  const machine = new Machine();
  const unread = failed("failed", "torn");
  for (const changes of [{ readState: async () => unread }, { inspect: async () => unread }]) {
    const { self } = await gatherFacts({ ...machine.sources, ...changes });
    assert.deepEqual([self.data, self.standing], [true, "unknown"]);
  }
  const noFile = await ownFacts({ ...machine.sources, readState: async () => unread });
  assert.equal(noFile.self.lineage, undefined);
});

test("the only voter knows that it is, also while the log does not say yet that its peer's removal is committed", async () => {
  const { sources } = new Machine();
  const behind = { ...log, soleVoter: false, others: "" };
  const sole = async (changes: Partial<Sources>) => {
    const all = { ...sources, inspect: async () => success(behind), isSole: async () => true, ...changes };
    const picture = await gatherFacts(all);
    assert.equal((await ownFacts(all)).self.soleVoter, picture.self.soleVoter);
    return picture.self.soleVoter;
  };
  assert.equal(await sole({}), true);
  assert.equal(await sole({ isSole: async () => false }), false, "it is not committed");
  assert.equal(await sole({ isSole: async () => fail("DUET-E-CHECK", "etcd", "silent", "") }), false);
  // Nobody is asked who could not know, or where the log has another member in it.
  const isSole = () => assert.fail("asked");
  assert.equal(await sole({ isSole, inspect: async () => success({ ...behind, others: "a" }) }), false);
  for (const etcd of [
    { running: false, leader: false, failedStarts: 0 },
    { running: true, leader: false, failedStarts: 0 },
  ])
    assert.equal(await sole({ isSole, etcd: async () => etcd }), false);
});

test("its own facts need neither a BMC nor the peer", async () => {
  const machine = new Machine();
  machine.peerPublishes("1.9");
  const before = service.asked.length;
  const own = await ownFacts(machine.sources);
  assert.equal(service.asked.length, before);
  assert.equal(machine.asked, 0);
  assert.deepEqual(own.self, (await gatherFacts(machine.sources)).self);
  assert.deepEqual(machine.memory.read().remembered.heard, peerSays);
});

test("which etcd would start, and on which data, is in the picture of a machine that may start one; the peer is asked where it serves", async () => {
  const down = { running: false, leader: false, failedStarts: 0 };
  const machine = new Machine();
  const gatherWith = (more: Partial<Sources>): Promise<Facts> => gatherFacts({ ...machine.sources, ...more });
  assert.equal((await gatherWith({})).etcd.versions, undefined, "it runs, and nothing is to be started");
  const inspect = async () => success({ ...log, version: "3.6.0" });
  const facts = await gatherWith({ etcd: async () => down, inspect });
  assert.deepEqual(facts.etcd.versions, {
    program: "3.6.16",
    data: "3.6.0",
    peer: "3.6.16",
    cluster: "3.6.0",
  });
  assert.equal("version" in facts.self, false, "the peer is not told: it has no use for it");
  const leaderless = await gatherWith({ etcd: async () => ({ ...down, running: true }), inspect });
  assert.deepEqual(leaderless.etcd.versions, {
    program: "3.6.16",
    data: "3.6.0",
    peer: undefined,
    cluster: undefined,
  });
  machine.corosync.lose("1.d");
  assert.equal(
    (await gatherWith({})).etcd.versions?.program,
    "3.6.16",
    "who is alone may have to start anew",
  );
  machine.corosync.join("1.11");
  const silent = async () => fail("DUET-E-PROCESS-DEADLINE", "etcd", "it does not answer", "see why");
  const unknown = await gatherWith({ etcd: async () => down, program: silent, peerVersions: silent });
  assert.deepEqual(unknown.etcd.versions, {
    program: undefined,
    data: undefined,
    peer: undefined,
    cluster: undefined,
  });
});

test("a tag that was read stands among the facts when somebody has written over it, for as long as the machine is up", async () => {
  const machine = new Machine();
  machine.peerPublishes("1.9");
  try {
    machine.corosync.lose("1.d");
    system.AssetTag = tagText(site, { epoch: 7, owner: "node2" });
    const read = await gatherFacts(machine.sources);
    assert.deepEqual(read.tags.mine, { kind: "lineage", epoch: 7, owner: "node2" });
    system.AssetTag = "asset 4711";
    const over = await gatherFacts(machine.sources);
    assert.deepEqual(over.tags, {
      mine: { kind: "foreign" },
      theirs: { kind: "foreign" },
      gone: [{ epoch: 7, owner: "node2" }],
    });
    await rm(join(folder, String(count)), { recursive: true });
    assert.equal((await gatherFacts(machine.sources)).tags.gone, undefined);
  } finally {
    system.AssetTag = "";
  }
});
