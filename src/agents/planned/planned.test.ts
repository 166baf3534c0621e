import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { DuetError, exit } from "../../base/problem.ts";
import { Progress } from "../../machine/progress.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { known } from "../status/report.ts";
import type { Status } from "../status/status.ts";
import type { Deed } from "./deed.ts";
import type { Place } from "./place.ts";
import { planned } from "./planned.ts";
import { away, inMaintenance, refusing, standby, whole } from "./testing.ts";

const site = twoMachines({ node1: "203.0.113.1", node2: "203.0.113.2" });
const quiet = () => new Progress(new Writable({ write: (_chunk, _encoding, done) => done() }));
const reboot: Deed = { do: "reboot", machine: "node2", force: false };

/** Sees these one after the other, and then the last for ever. */
class Stage {
  readonly acts: string[] = [];
  askedOn = 0;
  givenUp = 0;
  readonly #looks: readonly Status[];
  readonly #away: readonly boolean[];
  readonly #me: string | undefined;
  #at = 0;
  #asked = 0;

  constructor(looks: readonly Status[], from = "node1", away: readonly boolean[] = [true]) {
    this.#looks = looks;
    this.#me = from === "seat" ? undefined : from;
    this.#away = away;
  }

  get place(): Place {
    return {
      site,
      me: this.#me,
      look: async () => {
        const seen = this.#looks[Math.min(this.#at, this.#looks.length - 1)];
        this.#at += 1;
        if (seen === undefined) throw new Error("bug: nothing to see");
        return seen;
      },
      act: async (deed) => {
        this.acts.push(deed.do === "maintenance" ? `maintenance ${deed.on}` : `${deed.do} ${deed.machine}`);
      },
      askOn: async () => {
        this.askedOn += 1;
      },
      wasAway: async () => {
        const seen = this.#away[Math.min(this.#asked, this.#away.length - 1)] === true;
        this.#asked += 1;
        return seen;
      },
      giveUp: async () => {
        this.givenUp += 1;
      },
    };
  }

  run(deed: Deed, within_ms = 5_000) {
    return planned(this.place, deed, quiet(), within_ms);
  }
}

const rejectsWith = (code: string, status: number) => (error: unknown) =>
  error instanceof DuetError && error.problems[0]?.code === code && error.status === status;

test("a reboot waits until the machine was away and it is 1+1 again", async () => {
  // Still whole when it is asked: that is no return.
  const stage = new Stage([whole(), away(), whole()], "node1", [false, true]);
  const { sentence } = await stage.run(reboot);
  assert.deepEqual(stage.acts, ["reboot node2"]);
  assert.equal(stage.askedOn, 1, "as long as it is there: what nobody repeats is not heard");
  assert.match(sentence, /^node2 has rebooted: both machines hold everything/);
});

test("while degraded it is refused, with nothing done; with --force it is done", async () => {
  const stage = new Stage([away()]);
  await assert.rejects(
    stage.run({ ...reboot, machine: "node1" }),
    rejectsWith("DUET-E-PLANNED-DEGRADED", exit.notHere),
  );
  await assert.rejects(
    stage.run({ do: "standby", machine: "node1", force: false }),
    rejectsWith("DUET-E-PLANNED-DEGRADED", exit.notHere),
  );
  assert.deepEqual(stage.acts, []);
  const forced = await new Stage([away()]).run({ ...reboot, machine: "node1", force: true });
  assert.match(forced.sentence, /^node1 reboots now/);
});

test("the machine itself can't wait for its return", async () => {
  const stage = new Stage([whole()], "node2");
  assert.match((await stage.run(reboot)).sentence, /^node2 reboots now/);
});

test("one that does not come back in time is told as late, with what is wrong", async () => {
  await assert.rejects(
    new Stage([whole(), away()]).run(reboot, 1),
    (error) =>
      rejectsWith("DUET-E-PLANNED-LATE", exit.failed)(error) &&
      error instanceof Error &&
      /node2 is back, and it is 1\+1\. node2: is not in the cluster/.test(error.message),
  );
});

test("a fence or a takeover on the way is told: it did not go by plan", async () => {
  const fence = { by: "node1", target: "node2", at_ms: 5, result: "success", why: "" } as const;
  await assert.rejects(
    new Stage([whole(), { ...whole(), lastFence: known(fence) }]).run(reboot),
    rejectsWith("DUET-E-PLANNED-OTHERWISE", exit.failed),
  );
  await assert.rejects(
    new Stage([whole(), { ...whole(), lineage: { epoch: 4, owner: "node1" } }]).run(reboot),
    rejectsWith("DUET-E-PLANNED-OTHERWISE", exit.failed),
  );
});

test("a standby after which nobody serves did not go by plan", async () => {
  const deed: Deed = { do: "standby", machine: "node2", force: false };
  await new Stage([whole(), standby()]).run(deed);
  await assert.rejects(
    new Stage([whole(), { ...standby(), serves: [] }]).run(deed),
    (error) =>
      rejectsWith("DUET-E-PLANNED-OTHERWISE", exit.failed)(error) &&
      error instanceof Error &&
      /node1 does not serve without it/.test(error.message),
  );
});

test("a machine on standby reboots without 1+1, and can't be told so by its peer", async () => {
  const stage = new Stage([standby(), away(), standby()], "seat");
  assert.match((await stage.run(reboot)).sentence, /^node2 has rebooted/);
  const peer = new Stage([standby()], "node1");
  await assert.rejects(peer.run(reboot), rejectsWith("DUET-E-PLANNED-UNHEARD", exit.notHere));
  const gone = new Stage([away()], "node1");
  await assert.rejects(gone.run(reboot), rejectsWith("DUET-E-PLANNED-UNHEARD", exit.notHere));
  assert.deepEqual([peer.acts, gone.acts], [[], []]);
});

test("standby waits until nothing runs there, and unstandby for 1+1", async () => {
  const down = new Stage([whole(), standby(["etcd", "kubelet"]), standby(["kubelet"]), standby()]);
  const { status } = await down.run({ do: "standby", machine: "node2", force: false });
  assert.deepEqual(status.machines[1]?.runs, []);
  const up = new Stage([standby(), standby(), whole()]);
  assert.match(
    (await up.run({ do: "unstandby", machine: "node2", force: false })).sentence,
    /^node2 is off standby: both/,
  );
  const gone = new Stage([away()]);
  assert.match(
    (await gone.run({ do: "standby", machine: "node2", force: false })).sentence,
    /when it comes back it is on standby/,
  );
});

test("maintenance is on when Pacemaker says so, and nothing else is planned in it", async () => {
  const on = await new Stage([whole(), whole(), inMaintenance()]).run({ do: "maintenance", on: true });
  assert.match(on.sentence, /maintenance is on: nothing is watched, and if either is lost nobody serves$/);
  const off = await new Stage([inMaintenance(), whole()]).run({ do: "maintenance", on: false });
  assert.match(off.sentence, /^maintenance is off: both/);
  const stage = new Stage([inMaintenance()]);
  for (const deed of ["reboot", "standby", "unstandby"] as const)
    await assert.rejects(
      stage.run({ do: deed, machine: "node2", force: true }),
      rejectsWith("DUET-E-PLANNED-MAINTENANCE", exit.notHere),
    );
  assert.deepEqual(stage.acts, []);
});

test("who waits for a machine that only a person can help is told so at once, and once", async () => {
  const lines: string[] = [];
  const out = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const refused = refusing("R-OLD-ETCD-JOIN", "the etcd that is installed on node2 is 3.5.33");
  const stage = new Stage([standby(), refused, refused, whole()], "seat");
  await planned(stage.place, { do: "unstandby", machine: "node2", force: false }, new Progress(out), 5_000);
  const told = lines.filter((line) =>
    line.includes("! node2: the etcd that is installed on node2 is 3.5.33"),
  );
  assert.equal(told.length, 1, lines.join(""));
});
