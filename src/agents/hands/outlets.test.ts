import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
import type { Outcome } from "../../act/effects.ts";
import { type MayCommand, proveOff } from "../../act/off.ts";
import { fast, FakeWorld } from "../../act/testing.ts";
import { sleep, until } from "../../machine/clock.ts";
import { bmcEffects, readBmcs, silentWays } from "./bmc.ts";
import { readOutlets } from "./outlets.ts";
import { twoMachines } from "./testing-site.ts";
import { Ways } from "./ways.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-hands-outlets-"));
const metal = new FakeMetal(true);
const lab = await bench({ metal });
const done: string[] = [];
/** What happens between the first outlet and the second. */
let between: () => Promise<void> = async () => undefined;

/** One of the two that feed node2 and its BMC: with both off the machine is off, and its BMC silent. */
class Supply extends FakeFeed {
  readonly #name: string;
  constructor(name: string) {
    super();
    this.#name = name;
  }
  override async off(): Promise<void> {
    done.push(`${this.#name} off`);
    await super.off();
    metal.powered = a.powered || b.powered;
  }
  override async on(): Promise<void> {
    done.push(`${this.#name} on`);
    await super.on();
  }
}
const a = new Supply("a");
const b = new Supply("b");
const [folderA, folderB] = [join(folder, "pdu-a"), join(folder, "pdu-b")];
const pduA = await testPdu(folderA, "node2-1", a);
const pduB = await testPdu(folderB, "node2-2", b);
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`, { mode: 0o600 });
after(async () => {
  for (const pdu of [pduA, pduB]) await pdu.close();
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const each of [lab.folder, folderA, folderB]) await clearFaults(each);
  between = async () => undefined;
  for (const each of [metal, a, b]) each.powered = true;
  done.length = 0;
});

const at = (port: number) => `https://127.0.0.1:${port}`;
const nobody = "https://127.0.0.1:9";
const waysBy = (...pdu: readonly string[]) =>
  new Ways({ site: twoMachines({ node1: nobody, node2: at(lab.bmc.port), pdu }), me: "node1", folder });
const ways = waysBy(at(pduA.port), at(pduB.port));
const bmcFault = (kind: string) => writeFault(lab.folder, parseFault(kind));

const may: MayCommand = async function* (moment) {
  yield "may";
  if (moment === "go on") await between();
  return undefined;
};

/** One try to fence node2, whose BMC is silent unless the test says so. It begins with a picture, as each does. */
async function fence(by = ways): Promise<Outcome> {
  await readBmcs(by, 1_500);
  const times = { ...fast, bmc_ms: 2_000, again_ms: 20 };
  const effects = { ...new FakeWorld().effects, bmc: bmcEffects(by), pause: sleep };
  const steps = proveOff(effects, times, may);
  for (;;) {
    const next = await steps.next();
    if (next.done !== true) continue;
    assert.ok(!next.value.ok || !metal.powered, "Off is claimed of a machine that runs");
    return next.value;
  }
}
async function refusal(by = ways): Promise<string> {
  const end = await fence(by);
  assert.ok(!end.ok);
  return end.failure.said;
}

test("both outlets are switched off in their order, and on again in their order", async () => {
  await bmcFault("server-error");
  assert.deepEqual(bmcEffects(ways).offWays, [["BMC"], ["outlet 1", "outlet 2"]]);
  assert.ok((await fence()).ok);
  assert.deepEqual(done, ["a off", "b off"]);
  await clearFaults(lab.folder);
  assert.ok((await bmcEffects(ways).commandOn(5_000)).ok);
  await until("both on", async () => a.powered && b.powered, { deadline_ms: 5_000, every_ms: 10 });
  assert.deepEqual(done.slice(2), ["a on", "b on"]);
});

test("the written order counts, and a list of one is one outlet as ever", async () => {
  await bmcFault("server-error");
  const other = await testPdu(
    join(folder, "pdu-c"),
    new Map([
      ["node2-1", b],
      ["node2-2", a],
    ]),
  );
  try {
    assert.ok((await fence(waysBy(at(other.port), at(other.port)))).ok);
    assert.deepEqual(done, ["b off", "a off"]);
  } finally {
    await other.close();
  }
  b.powered = false;
  a.powered = true;
  metal.powered = true;
  done.length = 0;
  const single = waysBy(at(pduA.port));
  assert.deepEqual(bmcEffects(single).offWays, [["BMC"], ["outlet"]]);
  assert.ok((await fence(single)).ok);
  assert.deepEqual(done, ["a off"]);
});

test("with one of two that refuses, hangs or is gone none is switched, and nothing is proven", async () => {
  await bmcFault("server-error");
  for (const [folderOf, number] of [
    [folderA, 1],
    [folderB, 2],
  ] as const)
    for (const kind of ["unauthorized", "server-error", "hang-after-connect"]) {
      for (const each of [folderA, folderB]) await clearFaults(each);
      await writeFault(folderOf, parseFault(kind));
      const said = await refusal();
      assert.match(said, new RegExp(`^outlet ${number} of node2: `), kind);
      assert.equal(said.includes("outlet 1 was not switched either"), number === 2, said);
      assert.deepEqual(done, [], kind);
    }
  for (const each of [folderA, folderB]) await clearFaults(each);
  assert.match(await refusal(waysBy(at(pduA.port), nobody)), /outlet 2 of node2: .*not switched either/);
  assert.match(await refusal(waysBy(nobody, at(pduB.port))), /outlet 1 of node2: /);
  assert.deepEqual(done, []);
});

test("two that answer slowly are switched all the same: they were looked at when the fence began", async () => {
  await bmcFault("server-error");
  // Longer than a command may be late: a quarter of its two seconds.
  for (const each of [folderA, folderB]) await writeFault(each, parseFault("slow", "0.7"));
  const patient = { ...ways.site, timeouts: { ...ways.site.timeouts, bmc_call_ms: 4_000 } };
  assert.ok((await fence(new Ways({ site: patient, me: "node1", folder }))).ok);
  assert.deepEqual(done, ["a off", "b off"]);
});

test("two of which nothing was heard, and that answer too late, are not switched", async () => {
  const unheard = bmcEffects(waysBy(at(pduA.port), at(pduB.port)));
  await writeFault(folderB, parseFault("slow", "0.7"));
  const late = await unheard.commandOff("outlet 1", 2_000);
  assert.ok(!late.ok);
  assert.equal(late.failure.kind, "unreachable");
  assert.match(late.failure.said, /^outlet 2 of node2: .*; outlet 1 was not switched either/);
  assert.deepEqual(done, []);
});

test("one that refuses when the other is off: no proof, it is told what is off, and the next try asks both again", async () => {
  await bmcFault("server-error");
  between = async () => {
    await until("a is off", async () => !a.powered, { deadline_ms: 5_000, every_ms: 10 });
    await writeFault(folderB, parseFault("unauthorized"));
  };
  const said = await refusal();
  assert.match(said, /^outlet 2 of node2: it refuses/);
  assert.match(said, /outlet 1 was switched off before that, and the peer may run on what else feeds it/);
  assert.deepEqual(done, ["a off"]);
  assert.equal(metal.powered, true);
  between = async () => undefined;
  await clearFaults(folderB);
  assert.ok((await fence()).ok);
  assert.ok(!a.powered && !b.powered);
});

test("one that takes the command and reads On afterwards: no proof, and it is named", async () => {
  await bmcFault("server-error");
  for (const kind of ["lies", "accepted-no-effect"]) {
    for (const each of [a, b]) each.powered = true;
    await clearFaults(folderB);
    await writeFault(folderB, parseFault(kind));
    assert.match(
      await refusal(),
      /the command was taken, and the peer does not read Off: .*its outlet 2 is on/,
    );
    assert.deepEqual([a.powered, b.powered], [false, true]);
  }
});

test("off is read only where all are off: one that is on feeds it, and one that is silent may", async () => {
  await bmcFault("server-error");
  const power = async () => (await readBmcs(ways, 1_500)).peerPower;
  assert.equal(await power(), "fed");
  a.powered = false;
  assert.equal(await power(), "fed");
  // One is on; but with the other silent nobody can switch it off by them, and that must be said.
  await writeFault(folderA, parseFault("server-error"));
  assert.equal(await power(), "unreadable");
  const { said } = await readOutlets(ways, 1_500);
  assert.match(said.join("; "), /outlet 1 of node2: .*; its outlet 2 is on/);
  await clearFaults(folderA);
  await writeFault(folderB, parseFault("server-error"));
  b.powered = false;
  assert.equal(await power(), "unreadable");
  const told = await bmcEffects(ways).peerPower(1_500);
  assert.ok(!told.ok);
  assert.match(told.failure.said, /the BMC of node2: .*; outlet 2 of node2: /);
  await clearFaults(folderB);
  assert.equal(await power(), "off");
  const byBmc = await bmcEffects(ways).peerPower(1_500, "BMC");
  assert.ok(!byBmc.ok, "the outlets are off, and were not to be asked");
});

test("by its outlets alone: a BMC's Off counts for nothing, and its On does", async () => {
  const { peerPower } = bmcEffects(ways);
  const power = async (by?: "BMC" | "outlets") => {
    const seen = await peerPower(2_000, by);
    return seen.ok ? seen.value : "unknown";
  };
  metal.powered = false;
  assert.deepEqual([await power(), await power("BMC"), await power("outlets")], ["off", "off", "unknown"]);
  a.powered = b.powered = false;
  assert.equal(await power("outlets"), "off");
  metal.powered = true;
  assert.equal(await power("outlets"), "on");
});

test("a BMC that says On is believed before all outlets, and every outlet that does not answer is named", async () => {
  a.powered = false;
  b.powered = false;
  assert.equal((await readBmcs(ways, 1_500)).peerPower, "on");
  for (const each of [folderA, folderB]) await writeFault(each, parseFault("unauthorized"));
  assert.match((await silentWays(ways, 2_000)).join("\n"), /^outlet 1 of node2: .*\noutlet 2 of node2: /);
});
