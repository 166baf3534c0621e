import { storm } from "../../sim/raft/storm.ts";
import { RaftWorld, type RaftWorldOptions } from "../../sim/raft/world.ts";
import { newTally, stormRunner } from "../../sim/storm.ts";
import { rough } from "../../sim/wire.ts";
import type { Progress } from "../../src/machine/progress.ts";
import type { BenchTable } from "../bench-table.ts";

export const about =
  "the simulator: schedules a second of processor time, of etcd with clients alone and of whole storms";

const rounds = 5;
const schedules = 60;

const worlds: Readonly<Record<string, { readonly options: RaftWorldOptions; readonly blows: number }>> = {
  "two members, calm": { options: {}, blows: 0 },
  "two members, six blows": { options: { wire: rough }, blows: 6 },
  "three members, six blows": { options: { machines: 3, wire: rough }, blows: 6 },
};

interface Sum {
  cpu_ms: number;
  schedules: number;
  events: number;
  answers: number;
}

/** Forty virtual seconds with 240 operations. */
function runOne(seed: number, options: RaftWorldOptions, blows: number): RaftWorld {
  const world = new RaftWorld({ seed }, { ...options, load: { operations: 240, pause_us: 100_000 } });
  world.startAll();
  world.clients.start();
  storm(world, { blows, pause_us: 2_000_000, length_us: 4_000_000 });
  world.kernel.runSync(40_000_000);
  if (world.kernel.violation !== undefined)
    throw new Error(`seed ${seed}: ${world.kernel.violation.check}: ${world.kernel.violation.what}`);
  return world;
}

/** Two whole machines with duet's rules and steps, as `duet sim run` runs them, in one process. */
async function runStorms(round: number, sum: Sum): Promise<void> {
  const tally = newTally();
  const run = stormRunner(undefined, tally);
  const before = process.cpuUsage();
  for (let i = 0; i < schedules; i += 1)
    sum.events += (await run({ seed: 1 + round * schedules + i }, { trace: false })).events;
  const { user, system } = process.cpuUsage(before);
  sum.cpu_ms += (user + system) / 1_000;
  sum.schedules += schedules;
  sum.answers += tally.acknowledged;
}

export async function measure(progress: Progress): Promise<BenchTable> {
  const sums = new Map<string, Sum>();
  const storms: Sum = { cpu_ms: 0, schedules: 0, events: 0, answers: 0 };
  await progress.step(`${rounds} interleaved rounds of ${schedules} schedules`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await runStorms(round, storms);
      for (const [name, { options, blows }] of Object.entries(worlds)) {
        const sum = sums.get(name) ?? { cpu_ms: 0, schedules: 0, events: 0, answers: 0 };
        sums.set(name, sum);
        const before = process.cpuUsage();
        for (let i = 0; i < schedules; i += 1) {
          const world = runOne(round * schedules + i, options, blows);
          sum.events += world.kernel.events;
          sum.answers += world.history.answered;
        }
        const { user, system } = process.cpuUsage(before);
        sum.cpu_ms += (user + system) / 1_000;
        sum.schedules += schedules;
      }
    }
  });
  sums.set("storms, all of it", storms);
  return {
    title: about,
    columns: ["schedules_per_cpu_s", "events_per_schedule", "answers_per_schedule", "events_per_cpu_ms"],
    rows: [...sums].map(([name, sum]) => ({
      name,
      values: {
        schedules_per_cpu_s: (sum.schedules * 1_000) / sum.cpu_ms,
        events_per_schedule: sum.events / sum.schedules,
        answers_per_schedule: sum.answers / sum.schedules,
        events_per_cpu_ms: sum.events / sum.cpu_ms,
      },
    })),
    notes: [
      "A storm is what `duet sim run` calls a schedule; of its answers only the acknowledged writes are counted.",
      "Any other schedule is 40 virtual seconds with 240 operations of 24 clients. Processor time, collector included: a busy box changes little.",
      "The first round includes the time that the JavaScript engine needs to compile.",
    ],
  };
}
