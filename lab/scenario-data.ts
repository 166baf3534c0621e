import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../src/base/problem.ts";
import { etcdUnit, paths } from "../src/base/paths.ts";
import { until } from "../src/machine/clock.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { dropInFile, putDropIn } from "./drop-in.ts";
import { type Lab, machineOf } from "./folder.ts";
import { withRoot } from "./metal/disk.ts";
import { isOn, leaderPid } from "./metal/power.ts";
import { runIn } from "./run.ts";
import type { Etcds } from "./scenario-etcds.ts";
import type { Stage } from "./scenario-stage.ts";

const done: Seen = { ok: true, seen: "" };

/** What happens to the data on a machine. `full`: told when etcd takes no more writes. */
export function dataWords(stage: Stage, etcds: Etcds, full: () => void): Doing {
  return {
    "corrupt-log": async ({ machine }) => {
      await flipBit(await stage.lab(), machine);
      return done;
    },
    "wipe-data": async ({ machine }) => {
      await wipe(await stage.lab(), machine);
      return done;
    },
    "raise-nospace": async () => {
      const seen = await useUpSpace(stage, etcds);
      // Only now: writes that failed while etcd started with its small quota did so for another reason.
      full();
      return seen;
    },
    "free-space": async () => {
      await endDataFaults(stage, etcds);
      return done;
    },
  };
}

/** As by a new disk: on a machine that is off, with its root mounted for that; else under its hands. */
async function wipe(lab: Lab, machine: MachineName): Promise<void> {
  const m = machineOf(lab, machine);
  const from = (root: string) =>
    ["rm", "--recursive", "--force", `${root}${paths.etcdData}/member`, `${root}${paths.state}`] as const;
  if (await isOn(lab, m)) await runIn(lab, machine, from(""));
  else await withRoot(lab, m, from(join(m.folder, "root")));
}

/** Behind the records that begin a segment: inside one that etcd synced, and reads at each start. */
const into_bytes = 400;

/** In the newest segment: older ones may be read by nobody any more. */
async function flipBit(lab: Lab, machine: MachineName): Promise<void> {
  const root = `/proc/${await leaderPid(lab, machineOf(lab, machine))}/root`;
  const folder = join(root, paths.etcdData, "member", "wal");
  const newest = (await readdir(folder))
    .filter((name) => name.endsWith(".wal"))
    .toSorted()
    .at(-1);
  if (newest === undefined)
    fail("DUET-E-LAB-MACHINE", machine, "its etcd has no log", "let it serve before its log is corrupted");
  await using file = await open(join(folder, newest), "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, into_bytes);
  byte.writeUInt8(byte.readUInt8() ^ 1);
  await file.write(byte, 0, 1, into_bytes);
  await file.sync();
}

/** After the space was used up: the quota is the site's again, and writes are let in. */
export async function endDataFaults(stage: Stage, etcds: Etcds): Promise<void> {
  const lab = await stage.lab();
  for (const name of machine_names) {
    const { status } = await runIn(lab, name, ["test", "-e", quotaFile], { accept: "any" });
    if (status !== 0) continue;
    await runIn(lab, name, ["rm", quotaFile]);
    await runIn(lab, name, ["systemctl", "daemon-reload"]);
    // The one that runs has its quota from its start, and would raise the alarm again.
    await runIn(lab, name, ["systemctl", "kill", "--signal=SIGKILL", etcdUnit]);
    await until(`etcd on ${name} with its own quota`, () => etcds.isWhole(), again);
  }
  for (const name of machine_names) await etcds.disarm(name, filler);
}

const again = { deadline_ms: 120_000, every_ms: 300 } as const;

const drop_in = "quota.conf";
const quotaFile = dropInFile(etcdUnit, drop_in);
const setting = "quota.env";
/** Above what an etcd of the lab holds, and filled in a moment. */
const quota_bytes = 16 << 20;
const value_bytes = 1 << 20;
const fill_ms = 180_000;
const filler = "duet-scenario/filler";

/** The etcd that leads starts again with a small quota, and is filled until it says that it is full. */
async function useUpSpace(stage: Stage, etcds: Etcds): Promise<Seen> {
  const leader = await etcds.leader();
  if (leader === undefined) return { ok: false, seen: "nobody leads" };
  const lab = await stage.lab();
  await putDropIn(lab, leader, etcdUnit, setting, `ETCD_QUOTA_BACKEND_BYTES=${quota_bytes}\n`);
  // The last file that names a setting wins. As an option beside the setting etcd would refuse it.
  const file = dropInFile(etcdUnit, setting);
  await putDropIn(lab, leader, etcdUnit, drop_in, `[Service]\nEnvironmentFile=${file}\n`);
  await runIn(lab, leader, ["systemctl", "daemon-reload"]);
  await runIn(lab, leader, ["systemctl", "kill", "--signal=SIGKILL", etcdUnit]);
  await until(`etcd on ${leader} being out of space`, () => etcds.fill(leader, filler, value_bytes), {
    deadline_ms: fill_ms,
    every_ms: 50,
  });
  return done;
}
