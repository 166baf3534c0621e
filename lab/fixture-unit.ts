import { until } from "../src/machine/clock.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { allMachines, type Lab } from "./folder.ts";
import { runIn } from "./run.ts";

/**
 * A script that installs a unit of that name on a machine: the machines have no kubelet yet, and to Pacemaker one unit is like
 * another. Its program is behind a link, so that a start can be made to fail.
 */
export const bringUnit = (name: string): string => `cat > /etc/systemd/system/${name}.service << 'END'
[Unit]
Description=duet's lab: a unit by the name of ${name}

[Service]
ExecStartPre=/bin/sh -c 'test -e /run/${name}-fixture || ln -s /bin/sleep /run/${name}-fixture'
ExecStart=/run/${name}-fixture infinity

[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable ${name}
sync /etc/systemd/system/${name}.service /etc/systemd/system`;

const bringable = ["crio", "kubelet"] as const;

/** Those that a scenario speaks of and the machines do not have by themselves. */
export function unitsToBring({ header, steps }: Scenario): readonly string[] {
  if (header.kubernetes) return [];
  const asked = new Set(steps.flatMap(({ ask }) => ("unit" in ask ? [ask.unit] : [])));
  return bringable.filter((unit) => asked.has(unit));
}

/** Installed on both machines and handed to Pacemaker by a further `duet setup`, as at a site that gets its kubelet later. */
export async function bringUnits(lab: Lab, units: readonly string[]): Promise<void> {
  const names = allMachines(lab).map((m) => m.machine.name);
  const onBoth = (work: (machine: string) => Promise<unknown>) => Promise.all(names.map(work));
  for (const unit of units) await onBoth((name) => runIn(lab, name, ["sh", "-c", bringUnit(unit)]));
  if (units.length === 0) return;
  await onBoth((name) => runIn(lab, name, ["duet", "setup"], { deadline_ms: 240_000 }));
  for (const unit of units)
    await onBoth((name) =>
      until(
        `${unit} runs on ${name}`,
        async () =>
          (await runIn(lab, name, ["systemctl", "is-active", "--quiet", unit], { accept: "any" })).status ===
          0,
        { deadline_ms: 120_000, every_ms: 500 },
      ),
    );
}
