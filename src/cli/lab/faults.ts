import { Argument, type Command } from "commander";
import type { DiskDeed } from "../../../lab/fault-commands.ts";
import { type LabOptions, labCommand } from "./options.ts";

const disk_deeds: readonly DiskDeed[] = ["fill", "free", "slow", "fast", "read-only"];

export function registerFaults(lab: Command): void {
  labCommand(
    lab,
    "wire",
    "Cuts or heals a wire: link1, link2, mgmt, or one plug as in node1:link1, node1:bmc.",
  )
    .addArgument(new Argument("<what>").choices(["cut", "heal"]))
    .argument("<wire>", "or `all`, to heal every wire")
    .option("--from <machine>", "one way only: what this machine sends is lost")
    .addHelpText(
      "after",
      "\nExamples:\n  duet lab wire cut link1\n  duet lab wire cut link1 --from node1\n  duet lab wire cut node2:bmc\n  duet lab wire heal all",
    )
    .action(async (what: "cut" | "heal", wire: string, flags: LabOptions & { readonly from?: string }) => {
      const { cutWire, healWire } = await import("../../../lab/fault-commands.ts");
      await (what === "cut" ? cutWire(flags.name, wire, flags.from) : healWire(flags.name, wire, flags.from));
    });

  const bmc = lab.command("bmc").description("Faults of a BMC.");
  labCommand(
    bmc,
    "fault <machine> <kind> [argument]",
    "Makes a BMC misbehave; `none` ends all its faults. Several can be on at once.",
  )
    .addHelpText("afterAll", () => "\n`duet lab bmc faults` lists the kinds.")
    .action(async (machine: string, kind: string, argument: string | undefined, flags: LabOptions) => {
      const { setFault } = await import("../../../lab/fault-commands.ts");
      await setFault(flags.name, machine, kind, argument);
    });
  bmc
    .command("faults")
    .description("The kinds of faults.")
    .option("--json", "the same as JSON")
    .action(async (flags: { readonly json?: boolean }) => {
      const { faultKinds } = await import("../../../lab/bmc/fault.ts");
      const { printJson } = await import("../output.ts");
      const rows = Object.entries(faultKinds).map(([kind, { what }]) => ({ kind, what }));
      if (flags.json === true) printJson(rows);
      else process.stdout.write(rows.map((r) => `${r.kind.padEnd(20)} ${r.what}\n`).join(""));
    });

  labCommand(
    lab,
    "disk",
    "A machine's disk: fill it up, free it, make its writes slow, or fast again, or let it turn read-only.",
  )
    .addArgument(new Argument("<what>").choices(disk_deeds))
    .argument("<machine>")
    .argument("[ms]", "slow: how long each write takes at least", "100")
    .action(async (what: DiskDeed, machine: string, ms: string, flags: LabOptions) => {
      const { disturbDisk } = await import("../../../lab/fault-commands.ts");
      await disturbDisk(flags.name, machine, what, ms);
    });
}
