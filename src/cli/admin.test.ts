import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { failed } from "../act/effects.ts";
import type { Desk } from "../agents/admin/desk.ts";
import { Office, voter } from "../agents/admin/testing.ts";
import { DuetError } from "../base/problem.ts";
import { run } from "../machine/process.ts";
import { type AdminPlace, atDesk } from "./admin-seat.ts";
import { chooseCommand } from "./choose-data-command.ts";
import { confirmCommand } from "./confirm-peer-down-command.ts";

const script = { yes: true, wait: "180" };
const scriptJson = { ...script, json: true };

interface Heard {
  readonly place: AdminPlace;
  readonly told: () => string;
  readonly answered: () => string;
}

/** The office of `a`, with nobody at a terminal. */
function at(office: Office, desk: Partial<Desk> = {}): Heard {
  let [told, answered] = ["", ""];
  const place: AdminPlace = {
    requireMachine: async () => undefined,
    desk: async (asks) => ({ ...office.desk, ...asks, ...desk, hasGivenUp: async () => true }),
    isTerminal: () => false,
    tell: (text) => {
      told += text;
    },
    answer: (text) => {
      answered += text;
    },
  };
  return { place, told: () => told, answered: () => answered };
}

/** The status with which the command ends, and the code where it ends by an error that is told as every other one. */
async function ended(command: Promise<number>): Promise<readonly [number, string?]> {
  try {
    return [await command];
  } catch (error) {
    assert.ok(error instanceof DuetError, String(error));
    return [error.status, error.problems[0]?.code ?? ""];
  }
}

const refusal = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    problems: v.array(v.object({ code: v.string() })),
    shown: v.object({
      machine: v.string(),
      peer: v.string(),
      peerPower: v.string(),
      tags: v.record(v.string(), v.string()),
      data: v.record(v.string(), v.nullable(v.string())),
      loss: v.string(),
    }),
  }),
);

/** A machine that is behind: both tags name an epoch of its peer's. */
function stale(): Office {
  const office = new Office();
  office.world.tags = { mine: { epoch: 7, owner: "b" }, theirs: { epoch: 7, owner: "b" } };
  return office;
}

function together(): Office {
  const office = new Office();
  office.corosync.join("1.11");
  office.world.peer = { ...office.world.peer, on: true, member: true, holding: voter };
  office.world.boot = { ...office.world.boot, heard: true, quorum: true };
  office.changes = { fencePending: false };
  return office;
}

test("0: it serves, and what was shown is told on standard error, or is in the JSON", async () => {
  for (const json of [false, true]) {
    const office = new Office();
    office.serveWhenWoken();
    const { place, told, answered } = at(office);
    assert.deepEqual(await ended(confirmCommand({ ...script, json }, place)), [0]);
    if (json) {
      const shape = v.object({ outcome: v.string(), shown: v.object({ loss: v.string() }) });
      assert.equal(v.parse(v.pipe(v.string(), v.parseJson(), shape), answered()).outcome, "serves");
      assert.doesNotMatch(told(), /power of b/);
    } else {
      assert.match(told(), /^power of b +Off, as it was read now\n[^]*may be lost/);
      assert.equal(answered(), "a serves without b (Off is proven).\n");
    }
  }
});

test("1: refused by a rule, with what was shown; as data, too", async () => {
  const plain = at(stale());
  assert.deepEqual(await ended(confirmCommand(script, plain.place)), [1, "DUET-E-CONFIRM-REFUSED"]);
  assert.match(plain.told(), /tag of b +epoch 7 of b/);
  assert.equal(plain.answered(), "");

  const data = at(stale());
  assert.deepEqual(await ended(confirmCommand(scriptJson, data.place)), [1]);
  const { problems, shown } = v.parse(refusal, data.answered());
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["DUET-E-CONFIRM-REFUSED"],
  );
  assert.equal(shown.tags["b"], "epoch 7 of b");
  assert.match(shown.loss, /up to epoch 7/);
  assert.equal(data.told(), "");
});

test("1: the peer is here, and what is known of it is shown all the same", async () => {
  const { place, answered } = at(together());
  assert.deepEqual(await ended(confirmCommand(scriptJson, place)), [1]);
  const { problems, shown } = v.parse(refusal, answered());
  assert.equal(problems[0]?.code, "DUET-E-CONFIRM-PEER-HERE");
  assert.equal(shown.peerPower, "on");
  assert.match(shown.data["b"] ?? "", /^epoch 5 of a, voter/);
  assert.match(shown.loss, /^nothing: b is here/);
});

test("1: not confirmed, still On, another membership, not done in time", async () => {
  const unsaid = at(new Office(), { agreed: async () => false });
  const deaf = new Office();
  deaf.world.peer = { ...deaf.world.peer, on: true };
  const { hands } = deaf.desk;
  const bmc = { ...hands.effects.bmc, commandOff: async () => failed("refused", "no") };
  const still = at(deaf, { hands: { ...hands, effects: { ...hands.effects, bmc } } });
  const changed = new Office();
  const leaving = at(changed, {
    agreed: async () => {
      changed.corosync.lose("1.15");
      return true;
    },
  });
  const slow = new Office();
  for (const office of [changed, slow]) office.world.dead.add("theirs");
  for (const [{ place, answered }, code] of [
    [unsaid, "DUET-E-ADMIN-NO"],
    [still, "DUET-E-CONFIRM-STILL-ON"],
    [leaving, "DUET-E-ADMIN-CHANGED"],
    [at(slow), "DUET-E-ADMIN-NOT-YET"],
  ] as const) {
    const options = { ...scriptJson, acceptDataLoss: "unknown" };
    assert.deepEqual(await ended(confirmCommand(options, place)), [1], code);
    assert.equal(v.parse(refusal, answered()).problems[0]?.code, code);
  }
});

test("choose-data: 0 where it came to that, 1 refused with what was shown, 2 for a machine that is none of the two", async () => {
  const tie = together();
  const theirs = { ...voter, lineage: { epoch: 5, owner: "b" } };
  tie.world.peer = { ...tie.world.peer, holding: theirs };
  const { place, answered } = at(tie);
  assert.deepEqual(await ended(chooseCommand("b", script, place)), [0]);
  assert.equal(answered(), "a has given its data up, and joins b when that serves.\n");

  const same = at(together());
  assert.deepEqual(await ended(chooseCommand("a", scriptJson, same.place)), [1]);
  assert.equal(v.parse(refusal, same.answered()).problems[0]?.code, "DUET-E-CHOOSE-REFUSED");
  assert.deepEqual(await ended(chooseCommand("c", scriptJson, same.place)), [2, "DUET-E-USAGE"]);
});

test("3: no terminal and no --yes, before anything is looked at; 2: a wait that is none", async () => {
  const { place } = at(new Office());
  const unasked = { ...place, desk: () => Promise.reject(new Error("it was looked at")) };
  const noTerminal = [3, "DUET-E-ADMIN-NO-TERMINAL"];
  assert.deepEqual(await ended(confirmCommand({ wait: "180" }, unasked)), noTerminal);
  assert.deepEqual(await ended(chooseCommand("a", { wait: "180", json: true }, unasked)), noTerminal);
  assert.deepEqual(await ended(confirmCommand({ ...script, wait: "soon" }, unasked)), [2, "DUET-E-USAGE"]);
});

test("a bug is not told as a refusal", async () => {
  const { place, answered } = at(new Office());
  const bug = atDesk(place, "duet", scriptJson, () => Promise.reject(new TypeError("bug")));
  await assert.rejects(bug, TypeError);
  assert.equal(answered(), "");
});

const duet = (...args: readonly string[]) =>
  run(
    [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "main.ts"),
      ...args,
    ],
    { accept: "any", env: { NO_COLOR: "1" } },
  );

test("as typed: 2 for a wrong call, 3 where this is no machine of duet's, and --help names every status", async () => {
  const calls = [
    [2, ["confirm-peer-down", "--accept-data-loss", "soon", "--yes"], "DUET-E-USAGE"],
    [2, ["confirm-peer-down", "--yess"], "DUET-E-USAGE"],
    [2, ["choose-data", "--yes"], "DUET-E-USAGE"],
    [2, ["choose-data", "node1", "--accept-data-loss", "soon", "--yes"], "DUET-E-USAGE"],
    [3, ["confirm-peer-down", "--yes", "--json"], "DUET-E-ADMIN-NOT-HERE"],
    [3, ["choose-data", "node1", "--yes"], "DUET-E-ADMIN-NOT-HERE"],
    [0, ["confirm-peer-down", "--help"], "Exit status: 0 "],
    [0, ["choose-data", "--help"], "Exit status: 0 "],
  ] as const;
  await Promise.all(
    calls.map(async ([wanted, words, says]) => {
      const { status, stdout, stderr } = await duet(...words);
      assert.equal(status, wanted, `${words.join(" ")}: ${stderr}`);
      assert.ok(`${stdout}${stderr}`.includes(says), `${words.join(" ")}: ${stdout}${stderr}`);
    }),
  );
});
