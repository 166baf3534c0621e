import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { until } from "../src/machine/clock.ts";
import { phase_names } from "../src/record/timeline.ts";
import { openLab } from "./folder.ts";
import { metalOf } from "./metal/power.ts";
import { recordOf, untilRecorded } from "./records.ts";
import { assertTold } from "./testing-election.ts";
import { duet, duetOk, on, ownLabsFolder } from "./testing.ts";

ownLabsFolder();
const name = "record";
const whole_ms = 180_000;

before(async () => {
  await duetOk("lab", "up", "--name", name);
});
after(async () => {
  await duet(["lab", "down", "--name", name]);
});

const shown = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    failovers: v.array(
      v.object({
        survivor: v.string(),
        gone: v.string(),
        epoch: v.number(),
        phases: v.array(
          v.object({ name: v.string(), at_ms: v.optional(v.number()), note: v.optional(v.string()) }),
        ),
        clocks: v.array(v.object({ how: v.string() })),
        missing: v.array(v.string()),
      }),
    ),
    silent: v.record(v.string(), v.string()),
    damage: v.array(v.unknown()),
  }),
);

test("a failover is told from the operator's seat with all its phases, by both machines, and decided the same once more", async () => {
  const lab = await openLab(name);
  await untilRecorded(lab, "node1", "1+1", { deadline_ms: whole_ms });
  await metalOf(lab, "node2").cut();
  await untilRecorded(lab, "node1", "1+1", { after: "takeover ends", deadline_ms: whole_ms });
  // By its journal, which it reads when nothing is left to do: with the ring both clocks can be lined up.
  await untilRecorded(lab, "node2", "membership", { after: "peer back", deadline_ms: whole_ms });

  // A machine that is a voter again may not let anybody in yet.
  for (const machine of ["node1", "node2"])
    await until(
      `ssh to ${machine}`,
      async () =>
        (await duet(["lab", "run", "seat", "--name", name, "--", "ssh", machine, "true"])).status === 0,
      { deadline_ms: 30_000, every_ms: 500 },
    );
  const { failovers, silent, damage } = v.parse(shown, await on(name, "seat", "duet", "explain", "--json"));
  assert.deepEqual([silent, damage], [{}, []]);
  const [failover] = failovers;
  assert.ok(failover !== undefined);
  assert.deepEqual([failover.survivor, failover.gone, failover.epoch], ["node1", "node2", 2]);
  assert.deepEqual(failover.missing, []);
  // Each phase is known, and none comes before the one that leads to it.
  assert.deepEqual(
    failover.phases.map((phase) => phase.name),
    phase_names,
  );
  const unknown = failover.phases.filter(({ at_ms }) => at_ms === undefined);
  assert.deepEqual(unknown, []);
  // The peer is powered on beside the first write: either may come first, after the takeover has begun.
  const at = (phase: string) => failover.phases.find((each) => each.name === phase)?.at_ms ?? Number.NaN;
  assert.ok(at("peer powered on") > at("takeover") && at("peer powered on") < at("peer back"));
  const times = failover.phases.flatMap(({ name: phase, at_ms = 0 }) =>
    phase === "peer powered on" ? [] : [at_ms],
  );
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
  const note = (phase: string) => failover.phases.find((each) => each.name === phase)?.note;
  assert.equal(note("lost"), "Corosync's last token");
  assert.equal(note("first write served"), undefined, "a write was acknowledged, and not only a read");
  // What node2 wrote before the loss may have no ring in it that node1 saw, too; what it wrote since has one.
  assert.equal(failover.clocks.at(-1)?.how, "what both saw");

  const picture = await on(name, "seat", "duet", "explain");
  assert.match(picture, /^node1 took over from node2, as epoch 2;/);
  for (const line of picture.split("\n")) assert.ok(line.length <= 80, line);

  const replayed: unknown = JSON.parse(await on(name, "seat", "duet", "replay", "--json"));
  const { decisions, differences } = v.parse(
    v.object({ decisions: v.number(), differences: v.array(v.unknown()) }),
    replayed,
  );
  assert.deepEqual(differences, []);
  assert.ok(decisions > 10, `${decisions} decisions`);
});

test("the survivor's etcd led because it was told to, and did not wait for its own clock", async () => {
  assertTold(await on(name, "node1", "journalctl", "--unit=duet-etcd", "--output=cat"));
  const ends = (await recordOf(await openLab(name), "node1")).flatMap((entry) =>
    entry.kind === "step" && entry.edge === "end" && entry.step === "begin the election"
      ? [entry.outcome]
      : [],
  );
  assert.equal(ends.at(-1), "ok");
});

test("on a machine its own record is told, and what its peer's would add is said", async () => {
  const told = await on(name, "node1", "duet", "explain");
  assert.match(told, /^node1 took over from node2/);
  assert.match(told, /Missing: node2's record is not among the files/);
  assert.match(await on(name, "node1", "duet", "replay"), /^(\d+) of \1 decisions are the same/);
});

test("a machine that is off is told as missing, and the other's record is shown", async () => {
  // Broken, and not only cut: node1 would power it on, and it may be back before it is asked.
  await duetOk("lab", "power", "break", "node2", "--name", name);
  const told = await on(name, "seat", "duet", "explain");
  assert.match(told, /^node1 /);
  assert.match(told, /Missing: the record of node2: no ssh on /);
  await duetOk("lab", "power", "repair", "node2", "--name", name);
});
