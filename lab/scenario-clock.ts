import { guardUnit, workUnit } from "../src/base/paths.ts";
import { fail } from "../src/base/problem.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing } from "../src/scenario/world.ts";
import { dropInFile, putDropIn } from "./drop-in.ts";
import { allMachines, type Lab } from "./folder.ts";
import { runIn } from "./run.ts";
import { wholeAgain } from "./scenario-care.ts";
import type { Stage } from "./scenario-stage.ts";

/**
 * A wall clock that jumps, for the programs that keep the pair together: Corosync, Pacemaker with the agents that it calls, and duet's
 * own work and its guard at boot. The box has one clock for all machines and for everybody else, so it is their C library that tells them another
 * time (libfaketime). Time that only goes forward (CLOCK_MONOTONIC) is left alone, as a set clock leaves it.
 */
const jumping = ["corosync.service", "pacemaker.service", guardUnit, workUnit] as const;

/** On the disk: a clock that was set is the same after a boot. */
const shift_file = "/var/lib/duet-lab-clock";
const environment: Readonly<Record<string, string>> = {
  LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  FAKETIME_TIMESTAMP_FILE: shift_file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
};
const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);

/** In /etc: a machine that lost its power boots with them. */
const settingsOf = (unit: string): string => dropInFile(unit, drop_in, "/etc");
const drop_in = "clock.conf";

export const hasJumps = ({ steps }: Scenario): boolean => steps.some(({ ask }) => ask.kind === "jump-clock");

export function clockWords(stage: Stage): Doing {
  return {
    "jump-clock": async ({ machine, duration }) => {
      const lab = await stage.lab();
      await isFollowed(lab, machine);
      await shift(lab, machine, duration / 1000);
      const { stdout } = await runIn(lab, machine, ["env", ...settings, "date", "+%F %T"]);
      return { ok: true, seen: `its clock says ${stdout.trim()}` };
    },
  };
}

/** The programs are started anew where they follow the box's clock and should not, or do and should: one machine after the other. */
export async function letClocksJump(lab: Lab, can: boolean): Promise<void> {
  for (const { machine } of allMachines(lab)) {
    const { name } = machine;
    const { status } = await runIn(lab, name, ["test", "-e", settingsOf(workUnit)], {
      accept: "any",
    });
    if ((status === 0) === can) continue;
    await runIn(lab, name, ["systemctl", "stop", "pacemaker"], { deadline_ms: 120_000 });
    for (const unit of jumping) {
      if (can)
        await putDropIn(lab, name, unit, drop_in, `[Service]\nEnvironment=${settings.join(" ")}\n`, "/etc");
      else await runIn(lab, name, ["rm", settingsOf(unit)]);
    }
    await runIn(lab, name, ["sync", "--file-system", "/etc"]);
    await shift(lab, name, 0);
    await runIn(lab, name, ["systemctl", "daemon-reload"]);
    await runIn(lab, name, ["systemctl", "restart", "corosync"], { deadline_ms: 60_000 });
    await runIn(lab, name, ["systemctl", "start", "pacemaker"], { deadline_ms: 60_000 });
    await wholeAgain(lab);
  }
}

const shift = (lab: Lab, machine: string, seconds: number) =>
  runIn(lab, machine, ["sh", "-c", `cat > ${shift_file} && sync ${shift_file}`], { input: `+${seconds}\n` });

/**
 * A program that never loaded the library would show nothing, and pass. duet's own work runs for a moment at a time: each monitor
 * wakes it, so it is waited for.
 */
async function isFollowed(lab: Lab, machine: MachineName): Promise<void> {
  for (const unit of ["corosync.service", "pacemaker.service"]) {
    const show = ["systemctl", "show", "--property=MainPID", "--value", unit];
    const pid = (await runIn(lab, machine, show)).stdout.trim();
    const { status } = await runIn(lab, machine, ["grep", "--quiet", "libfaketime", `/proc/${pid}/maps`], {
      accept: "any",
    });
    if (status !== 0) notFollowed(machine, unit);
  }
  const { status } = await runIn(lab, machine, ["bash", "-c", seen_at_work], {
    accept: "any",
    deadline_ms: 2 * work_s * 1000,
  });
  if (status !== 0) notFollowed(machine, workUnit);
}

const notFollowed = (machine: MachineName, unit: string): never =>
  fail("DUET-E-LAB-MACHINE", machine, `${unit} does not follow the clock that jumps`, "see its journal");

/** Longer than two monitors are apart. */
const work_s = 30;
/** Woken again and again, and looked at while it runs. */
const seen_at_work = `for i in $(seq ${work_s * 20}); do
  [ $((i % 20)) != 1 ] || systemctl start --no-block ${workUnit}
  pid=$(systemctl show --property=MainPID --value ${workUnit})
  [ "$pid" = 0 ] || ! grep --quiet --no-messages libfaketime "/proc/$pid/maps" || exit 0
  sleep 0.05
done
exit 1`;
