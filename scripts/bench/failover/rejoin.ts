import * as v from "valibot";
import { fail } from "../../../src/base/problem.ts";
import { until } from "../../../src/machine/clock.ts";
import type { EventName, Told } from "../../../src/record/entry.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import type { Lab } from "../../../lab/folder.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { recordOf } from "../../../lab/records.ts";
import { etcdctl, letLead, type Place, preferred, untilWhole } from "./place.ts";
import type { RejoinRun } from "./table.ts";

const lost_ms_max = 120_000;
const told_ms_max = 60_000;

/** The follower is lost, and comes back: how long its etcd takes to hold everything again. */
export async function rejoin(place: Place): Promise<RejoinRun> {
  const { lab, etcds } = place;
  await untilWhole(etcds);
  const leader = preferred(lab);
  const follower = otherThan(leader);
  await letLead(place, leader);
  const data_mb = await dataOf(lab, leader);
  const lost_ms = Date.now();
  await switchPower(lab.name, follower, "cut");
  await until("the survivor serves alone", async () => (await etcds.alone()) === leader, {
    deadline_ms: lost_ms_max,
    every_ms: 500,
  });
  await untilWhole(etcds);
  return await until(
    `${follower}'s record tells of its way back`,
    async () => {
      const times = rejoinTimes(await recordOf(lab, follower), lost_ms);
      return times === undefined ? undefined : { data_mb, ...times };
    },
    { deadline_ms: told_ms_max, every_ms: 1_000 },
  );
}

/** From the beginning of etcd's last start before it was full, after this moment of the wall clock. */
export function rejoinTimes(
  entries: readonly Told[],
  after_ms: number,
): Pick<RejoinRun, "caught_up_ms" | "full_ms"> | undefined {
  const since = entries.filter(({ at }) => Date.parse(at) >= after_ms);
  const is = (name: EventName) => (entry: Told) => entry.kind === "event" && entry.event === name;
  const full = since.find(is("full"));
  if (full === undefined) return undefined;
  const within = since.filter(({ boot, mono_ms }) => boot === full.boot && mono_ms <= full.mono_ms);
  const started = within.findLast(
    (entry) => entry.kind === "step" && entry.edge === "begin" && entry.step === "start etcd",
  );
  if (started === undefined) return undefined;
  const caught = within.findLast(is("learner caught up"));
  return {
    caught_up_ms: caught === undefined ? undefined : caught.mono_ms - started.mono_ms,
    full_ms: full.mono_ms - started.mono_ms,
  };
}

const statusShape = v.array(v.object({ Status: v.object({ dbSizeInUse: v.number() }) }));

async function dataOf(lab: Lab, machine: string): Promise<number> {
  const { stdout } = await etcdctl(lab, machine, ["--write-out=json", "endpoint", "status"]);
  const [first] = v.parse(v.pipe(v.string(), v.parseJson(), statusShape), stdout);
  return first === undefined
    ? fail("DUET-E-PROCESS-FAILED", machine, "etcd tells no size of its data", "see its log")
    : first.Status.dbSizeInUse / 1e6;
}
