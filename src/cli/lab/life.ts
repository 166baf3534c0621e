import { type Command, InvalidArgumentError } from "commander";
import { Progress, seconds } from "../../machine/progress.ts";
import { printJson } from "../output.ts";
import { type LabOptions, labCommand } from "./options.ts";

interface UpFlags extends LabOptions {
  readonly ipv6?: boolean;
  readonly pdu?: boolean;
  readonly kubernetes?: boolean;
  readonly wait: boolean;
  readonly diskMb: number;
  readonly offMs: number;
  readonly onMs: number;
}

export function registerLife(lab: Command): void {
  labCommand(
    lab,
    "up [site]",
    "Builds what is missing, wires two machines, applies Ignition and powers them on.",
  )
    .option("--ipv6", "the lab's own site on IPv6 only")
    .option("--pdu", "with a power distribution unit, an outlet for each machine")
    .option("--kubernetes", "with Kubernetes on the machines; built once, which takes a quarter of an hour")
    .option("--no-wait", "return when the machines have power")
    .option("--disk-mb <n>", "size of each machine's disk", whole(512, 65_536), 4096)
    .option("--off-ms <n>", "how long a BMC takes to power off", whole(0, 600_000), 1000)
    .option("--on-ms <n>", "how long a BMC takes to power on", whole(0, 600_000), 1000)
    .option("--json", "the result as JSON")
    .action(async (site: string | undefined, flags: UpFlags) => {
      const { labUp } = await import("../../../lab/up.ts");
      const { labHint } = await import("../../../lab/folder.ts");
      const { lockedLab } = await import("../../../lab/lock.ts");
      const { labStatus } = await import("../../../lab/status.ts");
      const progress = new Progress();
      const { onInterrupt } = await import("../interrupt.ts");
      onInterrupt(`what was made so far is left; \`${labHint(flags.name, "down")}\` takes it away`);
      const made = await lockedLab(flags.name, () =>
        labUp(
          {
            name: flags.name,
            ...(site === undefined ? {} : { siteFile: site }),
            ipv6: flags.ipv6 === true,
            pdu: flags.pdu === true,
            kubernetes: flags.kubernetes === true,
            disk_mb: flags.diskMb,
            off_ms: flags.offMs,
            on_ms: flags.onMs,
            wait: flags.wait,
          },
          progress,
        ),
      );
      if (flags.json === true) {
        printJson({ ...(await labStatus(made)), steps: progress.steps, total_ms: progress.total_ms });
        return;
      }
      const hint = (command: string) => labHint(flags.name, command);
      const machine = made.site.machines[0]?.name ?? "";
      process.stdout.write(
        `\nLab "${flags.name}" is up after ${seconds(progress.total_ms)}. Try:\n` +
          `  ${hint(`run ${machine}`)} -- crm_mon -1\n  ${hint("run seat")} -- duet check\n` +
          (made.record.kubernetes === undefined ? "" : `  ${hint("run seat")} -- kubectl get pods -A\n`) +
          `  ${hint(`power cut ${machine}`)}\n  ${hint("down")}\n`,
      );
    });

  labCommand(lab, "down", "Takes a lab away: no process, mount, namespace, cgroup or file stays.")
    .option("--json", "the result as JSON")
    .action(async (flags: LabOptions) => {
      const { takeDown } = await import("../../../lab/down.ts");
      const progress = new Progress();
      const was = await progress.step(`take lab "${flags.name}" away`, () => takeDown(flags.name));
      if (flags.json === true) printJson({ name: flags.name, was_there: was });
      else if (!was) process.stdout.write(`There was no lab "${flags.name}".\n`);
    });

  labCommand(lab, "status", "What a person walking through the lab would see.")
    .option("--json", "the same as JSON")
    .action(async (flags: LabOptions) => {
      const { openLab } = await import("../../../lab/folder.ts");
      const { labStatus } = await import("../../../lab/status.ts");
      const { describeCut } = await import("../../../lab/wire-names.ts");
      const opened = await openLab(flags.name);
      const status = await labStatus(opened);
      if (flags.json === true) {
        printJson(status);
        return;
      }
      const { statusText } = await import("./status-text.ts");
      process.stdout.write(
        statusText(
          status,
          status.cuts.map((c) => describeCut(opened, c)),
        ),
      );
    });

  lab
    .command("list")
    .description("The labs that are there.")
    .option("--json", "the same as JSON")
    .action(async (flags: { readonly json?: boolean }) => {
      const { listLabs } = await import("../../../lab/folder.ts");
      const labs = await listLabs();
      if (flags.json === true) printJson(labs);
      else process.stdout.write(labs.length === 0 ? "No lab is up.\n" : labs.map((l) => `${l}\n`).join(""));
    });
}

function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
    return value;
  };
}
