import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Hindrance, type Outcome, success } from "../../act/effects.ts";
import { no_effort } from "../../machine/effort.ts";
import { exists } from "../../machine/files.ts";
import { listeners } from "../../machine/ports.ts";
import { isOfUnit, parseUnitState, type UnitState } from "../../machine/systemd.ts";
import type { NamedMember } from "../../render/etcd.ts";
import { wordsOf } from "./last-words.ts";
import { mayRun, type Unit, unitEffects } from "./unit.ts";

const base = await mkdtemp(join(tmpdir(), "duet-unit-"));
after(() => rm(base, { recursive: true }));

const down: UnitState = { load: "loaded", active: "inactive", pid: 0, job: false, result: "success" };
const up: UnitState = { ...down, active: "activating", pid: 7, job: true };
const self = { name: "node1", peerUrls: ["https://192.0.2.11:2380", "https://198.51.100.11:2380"] };
const peer = { name: "node2", peerUrls: ["https://192.0.2.12:2380"] };

/** A systemd and an etcd of which a test says what they do. */
class World {
  state = down;
  ports: readonly number[] = [];
  answering = false;
  members: readonly NamedMember[] = [];
  /** What the start file said when the unit was started, and whether there was a force file. */
  readonly started: string[] = [];
  killed = 0;
  onStart = () => this.becomes(up, true);
  onStop = () => this.becomes(down, false);
  onKill = () => this.becomes(down, false);
  onEffort = () => no_effort;
  hindrance: Hindrance | undefined;
  /** Processes that SIGKILL has not ended. */
  left: readonly number[] = [];
  readonly folder: string;

  constructor(name: string) {
    this.folder = join(base, name);
  }

  get files() {
    const at = (name: string) => join(this.folder, name);
    return { start: at("run/start"), force: at("run/force"), mask: at("mask") };
  }

  becomes(state: UnitState, answering: boolean): void {
    this.state = state;
    this.ports = state.pid > 0 ? [2379, 2380] : [];
    this.answering = answering;
  }

  get effects() {
    const unit: Unit = {
      self,
      closedUrl: "https://127.0.0.1:2378",
      peerMembers: async () => success(this.members),
      answers: async () => this.answering,
      noteHindrance: (because) => {
        this.hindrance = because;
      },
      world: {
        state: async () => this.state,
        enqueue: async (job) => {
          if (job === "stop") this.onStop();
          else {
            const forced = (await exists(this.files.force)) ? " forced" : "";
            this.started.push((await readFile(this.files.start, "utf8")) + forced);
            this.onStart();
          }
        },
        kill: async () => {
          this.killed += 1;
          this.onKill();
        },
        isListening: async (port) => this.ports.includes(port),
        processes: async () => this.left,
        lastWords: async () => "no space left on device",
        effort: async () => this.onEffort(),
        files: this.files,
      },
    };
    return unitEffects(unit);
  }
}

async function world(name: string): Promise<World> {
  const made = new World(name);
  await made.effects.setForceFlag();
  await made.effects.dropForceFlag();
  return made;
}

const ok = async (outcome: Promise<Outcome>) =>
  assert.deepEqual(await outcome, { ok: true, value: undefined });
async function refused<T>(outcome: Promise<Outcome<T>>): Promise<string> {
  const given = await outcome;
  assert.ok(!given.ok);
  return `${given.failure.kind}: ${given.failure.said}`;
}

test("each kind of start says its own, once: nothing that it said is left for a start by hand", async () => {
  const w = await world("kinds");
  w.members = [peer, { name: "", peerUrls: self.peerUrls }];
  for (const how of ["with its data", "first", "join"] as const) {
    await w.effects.setForceFlag();
    await ok(w.effects.start(how, 1_000));
    assert.ok(!(await exists(w.files.start)));
    await ok(w.effects.stop(1_000));
  }
  const [plain = "", first = "", join = ""] = w.started;
  assert.match(plain, /^#.*\n forced$/, "the data that is there, and the flag as it was set");
  assert.match(first, /CLUSTER_STATE=new\nETCD_INITIAL_CLUSTER_TOKEN=duet-[0-9a-f]{16}\n$/, "never forced");
  assert.match(
    join,
    /CLUSTER=node2=https:\/\/192\.0\.2\.12:2380,node1=https:\/\/192\.0\.2\.11:2380,node1=https:\/\/198\.51\.100\.11:2380\nETCD_INITIAL_CLUSTER_STATE=existing\n$/,
  );
});

test("a closed start is one with its data, forced or not, where no client looks", async () => {
  const w = await world("closed");
  w.onStart = () => {
    w.becomes(up, true);
    w.ports = [2378, 2380];
  };
  await w.effects.setForceFlag();
  await ok(w.effects.start("closed", 1_000));
  assert.match(w.started[0] ?? "", /^#.*\nETCD_LISTEN_CLIENT_URLS=https:\/\/127\.0\.0\.1:2378\n forced$/);
  assert.deepEqual(await w.effects.isRunning(), success(false), "for everybody else it does not run");
  assert.match(
    await refused(w.effects.start("with its data", 200)),
    /^deadline: /,
    "it has to be ended first",
  );
  w.becomes(down, false);
  w.ports = [2378];
  assert.match(await refused(w.effects.start("closed", 200)), /^refused: port 2378 is held/);
  w.onStart = () => w.becomes(up, true);
  await ok(w.effects.start("with its data", 200));
});

test("a member is this machine's by all of its addresses, and joins with those that the peer lists", async () => {
  const w = await world("addresses");
  w.members = [peer, { name: "", peerUrls: ["https://192.0.2.1:2380"] }];
  assert.match(await refused(w.effects.start("join", 500)), /^unreachable: the peer does not list/);
  w.members = [peer, { name: "", peerUrls: ["https://192.0.2.11:2380", "https://192.0.2.12:2380"] }];
  assert.match(await refused(w.effects.start("join", 500)), /^unreachable: /);
  assert.equal(w.started.length, 0);
  w.members = [
    peer,
    { name: "", peerUrls: ["https://192.0.2.11:2380"] },
    { name: "", peerUrls: ["https://x:1"] },
  ];
  await ok(w.effects.start("join", 500));
  assert.match(
    w.started[0] ?? "",
    /ADVERTISE_PEER_URLS=https:\/\/192\.0\.2\.11:2380\n.*,member-3=https:\/\/x:1\n/,
  );
});

test("one that runs, or is on its way, is not started again", async () => {
  const w = await world("twice");
  w.becomes(up, true);
  await ok(w.effects.start("with its data", 500));
  w.becomes(up, false);
  assert.match(await refused(w.effects.start("with its data", 200)), /^deadline: etcd does not answer yet/);
  assert.equal(w.started.length, 0);
  assert.deepEqual(await w.effects.isRunning(), success(true), "it may still load its data");
});

test("one that works is waited for, however long it loads; one that hangs is not", async () => {
  const w = await world("loads");
  let windows = 0;
  w.onStart = () => w.becomes(up, false);
  w.onEffort = () => {
    windows += 1;
    // Seen at the start, and after each deadline.
    if (windows === 4) w.becomes(up, true);
    return { cpu_ms: 60 * windows, read_bytes: 0 };
  };
  await ok(w.effects.start("with its data", 100));
  assert.equal(windows, 4);
  w.becomes(down, false);
  w.onEffort = () => ({ cpu_ms: 60, read_bytes: 0 });
  assert.match(await refused(w.effects.start("with its data", 100)), /^deadline: etcd does not answer yet/);
});

test("for a process that nothing ends a fence can be called, until it is gone", async () => {
  const w = await world("held");
  w.becomes(up, true);
  w.onStop = () => w.becomes({ ...up, active: "deactivating" }, false);
  w.onKill = () => {};
  for (const how of ["stop", "end"] as const)
    assert.match(await refused(w.effects[how](200)), /^deadline: etcd can't be ended/);
  assert.equal(w.hindrance, undefined);
  await ok(w.effects.callForFence("held"));
  assert.equal(w.hindrance, "held");
  w.becomes(down, false);
  await ok(w.effects.stop(200));
  assert.equal(w.hindrance, undefined);
});

test("a start that failed is told with etcd's last words; a job that waits is no failure", async () => {
  const w = await world("failed");
  w.onStart = () => w.becomes({ ...down, active: "failed", result: "exit-code" }, false);
  assert.equal(
    await refused(w.effects.start("with its data", 500)),
    "failed: etcd ended (exit-code): no space left on device",
  );
  w.onStart = () => w.becomes({ ...down, job: true }, false);
  assert.match(await refused(w.effects.start("with its data", 200)), /^deadline: /);
  assert.ok(!(await exists(w.files.start)), "what was given up does not happen later");
});

test("a masked unit, and a port that another process holds, are refused before anything is tried", async () => {
  const w = await world("masked");
  await ok(w.effects.setMasked(true));
  await ok(w.effects.setMasked(true));
  assert.match(await refused(w.effects.start("with its data", 500)), /^refused: etcd may not start/);
  await ok(w.effects.setMasked(false));
  await ok(w.effects.setMasked(false));
  w.ports = [2380];
  assert.match(await refused(w.effects.start("with its data", 500)), /^refused: port 2380 is held/);
  w.ports = [];
  w.state = { ...down, load: "masked" };
  assert.match(await refused(w.effects.start("with its data", 500)), /^refused: .* is masked/);
  assert.equal(w.started.length, 0);
});

test("a stop that is ignored ends with a kill, and one that is not needed does nothing", async () => {
  const w = await world("stop");
  await ok(w.effects.stop(500));
  w.becomes(up, true);
  w.onStop = () => w.becomes({ ...up, active: "deactivating" }, false);
  await ok(w.effects.stop(500));
  assert.equal(w.killed, 1);
  w.onStop = () => {
    w.state = down;
    w.ports = [2379];
  };
  w.becomes(up, true);
  assert.match(await refused(w.effects.stop(300)), /^refused: port 2379 is held/, "not free: not done");
  w.left = [812];
  assert.match(await refused(w.effects.stop(300)), /^deadline: etcd can't be ended/, "it is etcd itself");
  assert.match(await refused(w.effects.start("with its data", 300)), /^deadline: etcd can't be ended/);
});

test("to end it is to kill it at once, with a stop that was asked for before: nobody starts it again", async () => {
  const w = await world("end");
  w.becomes(up, true);
  let stopsFirst = false;
  w.onStop = () => {
    stopsFirst = w.killed === 0;
    w.becomes({ ...up, active: "deactivating" }, false);
  };
  await ok(w.effects.end(60_000));
  assert.deepEqual([w.killed, stopsFirst], [1, true]);
  await ok(w.effects.end(60_000));
  assert.equal(w.killed, 1, "what is down is not killed");
});

test("on its way up or down etcd may run, and does not yet", async () => {
  const w = await world("may");
  for (const [state, may] of [
    [down, false],
    [{ ...down, active: "failed" }, false],
    [{ ...down, job: true }, true],
    [{ ...up, active: "deactivating" }, true],
    [up, true],
  ] as const) {
    w.state = state;
    assert.equal(await mayRun({ state: async () => state }), may, JSON.stringify(state));
    assert.deepEqual(await w.effects.isRunning(), success(false), "its port is not open");
  }
});

test("systemd's and the kernel's words are read", () => {
  const text = "MainPID=812\nJob=1207\nResult=success\nLoadState=loaded\nActiveState=activating\n";
  assert.deepEqual(parseUnitState(text), { ...up, pid: 812 });
  assert.deepEqual(
    parseUnitState(text.replace("Job=1207\n", "").replace("812", "0").replace("activating", "inactive")),
    down,
  );
  assert.equal(parseUnitState("").active, "other");
  const group = "12:devices:/machine/system.slice/duet-etcd.service\n0::/";
  assert.deepEqual(
    [
      isOfUnit(group, "duet-etcd.service"),
      isOfUnit(group, "etcd.service"),
      isOfUnit("", "duet-etcd.service"),
    ],
    [true, false, false],
  );
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:094B 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0
   1: 0100007F:094C 0100007F:D2A4 01 00000000:00000000 00:00000000 00000000 0
   2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000`;
  assert.deepEqual([...listeners(table)], [2379, 22]);
});

test("etcd's reason for its end is found between the lines", () => {
  const log = `{"level":"info","msg":"starting"}
{"level":"fatal","ts":"x","msg":"discovery failed","error":"member \\"a\\" has already been bootstrapped","stacktrace":"y"}
duet-etcd.service: Failed with result 'exit-code'.`;
  assert.equal(wordsOf(log), 'discovery failed: member \\"a\\" has already been bootstrapped');
  assert.equal(wordsOf("plain\n\n"), "plain");
  assert.equal(wordsOf(""), "it left no word");
});
