import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { until } from "../src/machine/clock.ts";
import { duet, duetOk, on, ownLabsFolder, untilSeen } from "./testing.ts";

/** One lab: whole, with an etcd missing, cut in two with the loser booting inert, and whole again; and what an admin's word comes to meanwhile. */
ownLabsFolder();
const name = "status";
const lab = (...args: readonly string[]) => duetOk("lab", ...args, "--name", name);

before(async () => {
  await lab("up");
});
after(async () => {
  await lab("down");
});

interface Shown {
  readonly status: number;
  readonly text: string;
}

/** `duet status` as somebody at that place types it. */
async function statusAt(place: string, ...options: readonly string[]): Promise<Shown> {
  const { status, stdout } = await duet([
    "lab",
    "run",
    place,
    "--name",
    name,
    "--",
    "duet",
    "status",
    ...options,
  ]);
  return { status, text: stdout };
}

/** Waits until it shows all of these. */
async function shows(place: string, ...wanted: readonly RegExp[]): Promise<Shown> {
  let last = "";
  const seen = async () => {
    const shown = await statusAt(place);
    last = shown.text;
    return wanted.every((each) => each.test(shown.text)) && shown;
  };
  try {
    return await until(`duet status on ${place}: ${wanted.join(", ")}`, seen, {
      deadline_ms: 150_000,
      every_ms: 500,
    });
  } catch (error) {
    throw new Error(`it showed:\n${last}`, { cause: error });
  }
}

test("both up: 1+1 and status 0, on each machine and from the operator's seat", async () => {
  for (const place of ["node1", "node2", "seat"]) {
    const { status, text } = await shows(
      place,
      /^site status {2}1\+1 /,
      /^Nothing is wrong\.$/m,
      /^power +On +On$/m,
      /^etcd +(leader, full, .* voter, full|voter, full, .* leader, full)/m,
      /proven by login[^]*proven by login/,
    );
    assert.equal(status, 0, text);
    assert.equal(text.match(/proven by login/g)?.length, 2, text);
  }
  const json: unknown = JSON.parse((await statusAt("node1", "--json")).text);
  assert.ok(typeof json === "object" && json !== null && "whole" in json && json.whole === "1+1");
});

/** As a script at the operator's computer says it. */
const overSsh = (machine: string, ...words: readonly string[]) =>
  duet(["lab", "run", "seat", "--name", name, "--", "ssh", machine, ...words]);

const refusal = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    problems: v.tuple([v.object({ code: v.string(), what: v.string(), fix: v.string() })]),
    shown: v.object({ machine: v.string(), peerPower: v.string(), loss: v.string() }),
  }),
);

test("over ssh, at 1+1: a word is refused with 1 and says what it knows; 2 is a wrong call, 3 nobody to ask", async () => {
  const [here, same, epoch, machine, unasked] = await Promise.all([
    overSsh("node1", "duet", "confirm-peer-down", "--yes", "--json"),
    overSsh("node2", "duet", "choose-data", "node2", "--yes", "--json"),
    overSsh("node1", "duet", "confirm-peer-down", "--yes", "--accept-data-loss", "soon"),
    overSsh("node2", "duet", "choose-data", "node9", "--yes"),
    overSsh("node1", "duet", "confirm-peer-down"),
  ]);
  assert.equal(here.status, 1, here.stderr);
  const { problems, shown } = v.parse(refusal, here.stdout);
  assert.equal(problems[0].code, "DUET-E-CONFIRM-PEER-HERE");
  assert.equal(shown.machine, "node1");
  assert.match(shown.loss, /^nothing: node2 is here/);
  assert.equal(same.status, 1, same.stderr);
  assert.equal(v.parse(refusal, same.stdout).problems[0].code, "DUET-E-CHOOSE-REFUSED");
  for (const { status, stderr } of [epoch, machine]) {
    assert.equal(status, 2, stderr);
    assert.match(stderr, /\[DUET-E-USAGE\]/);
  }
  assert.equal(unasked.status, 3, unasked.stderr);
  assert.match(unasked.stderr, /\[DUET-E-ADMIN-NO-TERMINAL\]/);
});

test("an etcd that does not run is told, with its page", async () => {
  // Nobody starts it again while this is under way.
  await on(name, "node2", "systemctl", "stop", "duet-work.path", "duet-work.service", "duet-etcd.service");
  try {
    // Until node1's etcd has missed node2's for an election's time it has a leader, and serves.
    const { status } = await shows(
      "node1",
      /etcd does not run/,
      /^site status {2}0: NOBODY SERVES/,
      /^ {5}duet page DUET-E-STATUS-ETCD-DOWN$/m,
    );
    assert.equal(status, 1);
    await shows("node2", /^etcd +voter, no leader, full, \S+ +down, \S+ installed$/m);
  } finally {
    await on(name, "node2", "systemctl", "start", "duet-work.path", "duet-work.service");
  }
  await shows("node1", /^site status {2}1\+1 /);
});

/** On a machine with older data, whose peer serves: refused, with what is known, and nobody is switched off. */
async function wordIsRefused(loser: string): Promise<void> {
  const isIn = async () => (await overSsh(loser, "true")).status === 0;
  await until(`ssh to ${loser}`, isIn, { deadline_ms: 30_000, every_ms: 500 });
  const [plain, data] = await Promise.all([
    overSsh(loser, "duet", "confirm-peer-down", "--yes"),
    overSsh(loser, "duet", "confirm-peer-down", "--yes", "--json"),
  ]);
  assert.deepEqual([plain.status, data.status], [1, 1], `${plain.stderr}${data.stderr}`);
  assert.match(plain.stderr, /^power of node\d +On, by its BMC\n[^]*\[DUET-E-CONFIRM-REFUSED\]/);
  const { problems, shown } = v.parse(refusal, data.stdout);
  assert.match(problems[0].what, /^R-NEWER-TAG: /);
  assert.match(problems[0].fix, /--accept-data-loss \d/);
  assert.deepEqual([shown.machine, shown.peerPower], [loser, "on"]);
}

/**
 * Who loses the race: node1 is preferred, as the name that sorts first. No fence was measured here, so its window is the longest that
 * there is, 10 s from the loss to its command: no host is as busy as that.
 */
const [loser, survivor] = ["node2", "node1"] as const;

/** What is noted for the console comes, and goes, a moment after what the status shows. */
const issue = "/run/issue.d/50-duet.issue";
const soon = { deadline_ms: 60_000, every_ms: 500 };

test("the wire is cut: who boots into the cut says so in its status and at its console, and it is gone after the repair", async () => {
  for (const link of ["link1", "link2"]) await lab("wire", "cut", link);
  const inert = await shows(
    loser,
    /inert: waits for its peer/,
    /R-NEWER-TAG/,
    /^ {5}duet page DUET-E-STATUS-INERT$/m,
    /^serves +nobody that could be asked$/m,
    // It can't know what its peer's etcd does.
    /^etcd .*unknown/m,
  );
  assert.equal(inert.status, 1);
  const why = /^duet: a BMC's tag says, or has said, that epoch/;
  await untilSeen("why, at its console", async () => why.test(await on(name, loser, "cat", issue)), soon);
  await wordIsRefused(loser);
  const switched = `${survivor} switched ${loser} off, Off confirmed`.replaceAll(" ", "\\s+");
  await shows(survivor, /^site status {2}1\+0 /, new RegExp(switched));
  for (const link of ["link1", "link2"]) await lab("wire", "heal", link);
  const { status, text } = await shows(loser, /^site status {2}1\+1 /, /^Nothing is wrong\.$/m);
  assert.equal(status, 0, text);
  const gone = () => on(name, loser, "sh", "-c", `! test -e ${issue} && echo gone`);
  await untilSeen("nothing at its console any more", gone, soon);
});
