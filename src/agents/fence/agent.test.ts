import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import {
  bench,
  FakeFeed,
  FakeMetal,
  password,
  testPdu,
  testTls,
  username,
} from "../../../lab/bmc/testing.ts";
import { done, type Effects } from "../../act/effects.ts";
import { FakeWorld, logOf, pick } from "../../act/testing.ts";
import { times_default } from "../../act/times.ts";
import { empty, type Holding } from "../../decide/facts.ts";
import { sleep } from "../../machine/clock.ts";
import { parseXml } from "../../machine/xml.ts";
import { TestRecorder } from "../../record/testing.ts";
import { bmcEffects, lookAtPeer } from "../hands/bmc.ts";
import { siteText } from "../hands/testing-site.ts";
import type { Ways } from "../hands/ways.ts";
import { fenceAgent, type FenceMachine } from "./agent.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-fence-"));
const metal = new FakeMetal(true);
const lab = await bench({ metal });
/** Feeds the machine and its BMC: without it the BMC is silent. */
class Feed extends FakeFeed {
  override async off(): Promise<void> {
    // Before it reads Off: written later, the fault could be the next test's.
    await writeFault(lab.folder, parseFault("hang-after-connect"));
    metal.powered = false;
    await super.off();
  }
}
const feed = new Feed();
const pduFolder = join(folder, "pdu");
const pdu = await testPdu(pduFolder, "node2", feed, { host: "::1" });
const plain = join(folder, "site.yaml");
const fed = join(folder, "fed.yaml");
const patient = join(folder, "patient.yaml");
const places = { node1: "203.0.113.1", node2: `https://127.0.0.1:${lab.bmc.port}` };
await writeFile(plain, siteText(places));
await writeFile(
  patient,
  siteText(places).replace(/^timeouts: .*$/m, "timeouts: { bmc_call: 60s, fence: 10m }"),
);
await writeFile(fed, siteText({ ...places, pdu: `https://[::1]:${pdu.port}` }));
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
const credentials = join(folder, "bmc.credentials");
await writeFile(credentials, `${username}:${password}\n`, { mode: 0o600 });
after(async () => {
  await pdu.close();
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const each of [lab.folder, pduFolder]) await clearFaults(each);
  metal.powered = true;
  metal.hung = false;
  metal.done.length = 0;
  feed.powered = true;
});

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 5, owner: "b" },
  full: true,
};

/** A machine that has just lost its peer, with a true BMC before it. */
class Survivor {
  readonly record = new TestRecorder();
  readonly world = new FakeWorld();
  readonly out: string[] = [];
  readonly err: string[] = [];
  input = "";
  woken = 0;
  /** Short, for those that are silent to the end of it. */
  bmc_ms = 400;
  readonly #siteFile: string;

  constructor(siteFile = plain, self: Holding = voter) {
    const { world } = this;
    this.#siteFile = siteFile;
    world.state = { ...pick(self), turn: 0 };
    world.log = { ...logOf(self), committed: false };
    world.etcd = { ...world.etcd, running: true };
    world.peer = { ...world.peer, member: false, holding: voter };
  }

  async #effects(ways: Ways): Promise<Effects> {
    const { world } = this;
    return {
      ...world.effects,
      facts: async () => ({ ...world.facts(), peerPower: (await lookAtPeer(ways, this.bmc_ms)).peerPower }),
      bmc: bmcEffects(ways),
      quorum: {
        ...world.effects.quorum,
        noteOff: async () => {
          assert.equal(metal.powered, false, "Off is noted of a machine that runs");
          world.boot.proven = true;
          return done;
        },
      },
      pause: (ms) => sleep(Math.min(ms, 20)),
    };
  }

  async run(...argv: readonly string[]): Promise<number> {
    const machine: FenceMachine = {
      me: async () => "node1",
      siteFile: this.#siteFile,
      version: "1.2.3",
      readInput: async () => this.input,
      hands: async (ways) => ({ effects: await this.#effects(ways), recorder: this.record.recorder() }),
      times: () =>
        Promise.resolve({
          ...times_default,
          bmc_ms: this.bmc_ms,
          turn_ms: 4 * this.bmc_ms,
          again_ms: 20,
          tries_max: 25,
        }),
      wake: () => {
        this.woken++;
      },
      say: (line) => this.out.push(line),
      complain: (line) => this.err.push(line),
    };
    return await fenceAgent(argv, machine);
  }

  get said(): string {
    return this.err.join("");
  }
}

const fault = (kind: string, argument?: string) => writeFault(lab.folder, parseFault(kind, argument));

test("off as Pacemaker asks for it: options on stdin, success at confirmed Off, the takeover woken", async () => {
  for (const action of ["off", "reboot"]) {
    metal.powered = true;
    metal.done.length = 0;
    const survivor = new Survivor();
    survivor.input = `# a comment\naction=${action}\nnodename=node2\nplug=node2\nunknown=x=y\n`;
    assert.equal(await survivor.run(), 0, survivor.said);
    assert.deepEqual(metal.done, ["cut"], "no power on: that is a later step of the takeover");
    assert.equal(survivor.woken, 1);
    assert.ok(survivor.world.boot.proven);
    assert.match(survivor.out.join(""), /node2 is off/);
    const { story } = survivor.record;
    assert.equal(story[0], "fence asked");
    assert.equal(story.at(-1), "end note that Off is proven");
  }
});

test("a file of the second way that can't be read is told by monitor, and keeps nobody from the first", async () => {
  const site = join(folder, "half.yaml");
  const text = siteText({ ...places, pdu: `https://[::1]:${pdu.port}` });
  const half = text.replaceAll(/(pdu: .*)bmc\.credentials/g, "$1gone.credentials");
  assert.notEqual(half, text);
  await writeFile(site, half);
  const watched = new Survivor(site);
  assert.equal(await watched.run("--action=monitor"), 1);
  assert.match(watched.said, /gone\.credentials/);
  const survivor = new Survivor(site);
  assert.equal(await survivor.run("--action=off", "--plug=node2"), 0, survivor.said);
  assert.deepEqual(metal.done, ["cut"]);
});

test("refused where this machine may not take over, with the sentence of the rule", async () => {
  const learner = new Survivor(plain, { ...voter, standing: "learner", full: false });
  assert.equal(await learner.run("--action=off", "--plug=node2"), 1);
  assert.match(learner.said, /^fence_duet: node2 was not fenced: /);
  assert.deepEqual(learner.record.story, ["fence asked", "fence failed"]);
  const back = new Survivor();
  back.world.peer = { ...back.world.peer, member: true };
  assert.equal(await back.run("-o", "off", "-n", "node2"), 1);
  assert.match(back.said, /is back: a fence that was still pending must not fire/);
  assert.deepEqual(metal.done, []);
  assert.equal(metal.powered, true);
  assert.equal(learner.woken + back.woken, 0);
});

test("a BMC that says yes and does nothing, or hangs, or refuses, makes no success", async () => {
  for (const kind of [
    "lies",
    "accepted-no-effect",
    "stale-power-state",
    "no-power-state",
    "unauthorized",
    "server-error",
    "hang-after-connect",
    "hang-in-tls",
    "drip",
  ]) {
    await clearFaults(lab.folder);
    metal.powered = true;
    await fault(kind);
    const survivor = new Survivor();
    assert.equal(await survivor.run("--action=off"), 1, kind);
    assert.ok(!survivor.world.boot.proven, kind);
    assert.match(survivor.said, /node2 was not fenced/, kind);
  }
});

test("a BMC that makes a graceful shutdown of it, with a machine that hangs", async () => {
  await fault("graceful-off");
  metal.hung = true;
  const alone = new Survivor();
  assert.equal(await alone.run("--action=off"), 1, alone.said);
  assert.equal(metal.powered, true);
  const second = new Survivor(fed);
  assert.equal(await second.run("--action=off"), 0, second.said);
  assert.equal(metal.powered, false);
});

test("the outlet is the second way: for a BMC that is silent, lies, or has lost its feed", async () => {
  for (const kind of ["hang-after-connect", "unauthorized", "lies"]) {
    await clearFaults(lab.folder);
    metal.powered = true;
    feed.powered = true;
    await fault(kind);
    const survivor = new Survivor(fed);
    assert.equal(await survivor.run("--action=off"), 0, `${kind}: ${survivor.said}`);
    assert.equal(feed.powered, false, kind);
    assert.ok(survivor.world.boot.proven, kind);
  }
});

test("a slow BMC is waited for", async () => {
  await fault("slow", "0.1");
  const survivor = new Survivor(patient);
  survivor.bmc_ms = 120_000;
  assert.equal(await survivor.run("--action=off"), 0, survivor.said);
  assert.equal(metal.powered, false);
});

test("status tells on, off and nothing apart; monitor wants every way to answer", async () => {
  const survivor = new Survivor(fed);
  assert.equal(await survivor.run("--action=status"), 0);
  metal.powered = false;
  assert.equal(await survivor.run("--action=status"), 2);
  assert.deepEqual(survivor.out, ["Status: ON\n", "Status: OFF\n"]);
  assert.equal(await survivor.run("--action=monitor"), 0);
  assert.equal(await survivor.run("--action=list"), 0);
  assert.equal(survivor.out.at(-1), "node2,\n");
  await writeFault(pduFolder, parseFault("unauthorized"));
  assert.equal(await survivor.run("--action=monitor"), 1);
  assert.match(survivor.said, /the outlet of node2: it refuses the credentials/);
  await clearFaults(pduFolder);
  await fault("hang-after-connect");
  assert.equal(await survivor.run("--action=monitor"), 1);
  assert.match(survivor.said, /the BMC of node2: no complete answer within 1000 ms/);
  assert.equal(await new Survivor(plain).run("--action=status"), 1);
});

test("on is a success when On is read", async () => {
  metal.powered = false;
  const survivor = new Survivor();
  assert.equal(await survivor.run("--action=on"), 0, survivor.said);
  assert.deepEqual(metal.done, ["on"]);
});

test("who may be meant: the peer, by its name or by none, and nobody else", async () => {
  const survivor = new Survivor();
  assert.equal(await survivor.run("--action=off", "--plug=node1"), 1);
  assert.match(survivor.said, /node1 does not fence itself/);
  assert.equal(await survivor.run("--action=off", "--plug=node10"), 1);
  assert.match(survivor.said, /node10 is no machine of this site/);
  assert.equal(metal.powered, true);
});

test("no password among the options, and none in a file that others may read", async () => {
  const survivor = new Survivor();
  survivor.input = "action=monitor\npasswd=secret\n";
  assert.equal(await survivor.run(), 1);
  assert.match(survivor.said, /passwd has no place among a device's options/);
  assert.doesNotMatch(survivor.said, /secret/);
  const own = join(folder, "own.credentials");
  await writeFile(own, `${username}:${password}\n`, { mode: 0o600 });
  assert.equal(await survivor.run("--action=validate-all", `--credentials-file=${own}`), 0);
  await chmod(own, 0o644);
  for (const action of ["validate-all", "monitor", "status", "off"])
    assert.equal(await survivor.run(`--action=${action}`, `--credentials-file=${own}`), 1, action);
  assert.match(survivor.said, /DUET-E-CREDENTIALS-MODE/);
  assert.equal(metal.powered, true);
  assert.equal(await survivor.run("--action=validate-all"), 0);
});

test("metadata, help and version need no machine; no action, a wrong one and a wrong option are refused", async () => {
  const survivor = new Survivor(join(folder, "none.yaml"));
  survivor.input = "action=metadata\n";
  assert.equal(await survivor.run(), 0);
  const document = parseXml(survivor.out.join(""));
  const names = (tag: string) => [...document.getElementsByTagName(tag)].map((e) => e.getAttribute("name"));
  assert.deepEqual(names("action"), [
    "on",
    "off",
    "reboot",
    "status",
    "monitor",
    "list",
    "metadata",
    "validate-all",
  ]);
  assert.deepEqual(names("parameter"), ["action", "plug", "credentials_file", "site_file"]);
  assert.equal(await survivor.run("--help"), 0);
  assert.equal(await survivor.run("-V"), 0);
  assert.match(survivor.out.at(-1) ?? "", /1\.2\.3/);
  survivor.input = "plug=node2\n";
  assert.equal(await survivor.run(), 1);
  assert.equal(await new Survivor().run("--action=explode"), 1);
  assert.equal(await survivor.run("--action"), 1);
  assert.equal(await survivor.run("--force"), 1);
  assert.equal(await survivor.run("--action=status"), 1, "no site file");
  assert.match(survivor.said, /DUET-E-SITE-FILE/);
});
