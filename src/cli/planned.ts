import { Argument, type Command, Option } from "commander";
import type { PlannedOptions } from "./planned-command.ts";

const exits = `
Exit status: 0 it is done; 1 it failed, was late, or did not go by plan; 2 the call or the site file is wrong; 3 it is refused
now, with nothing changed, or this is no machine of duet's and has no site file.`;

const where = "Works on each machine, for itself and its peer, and from where the site file is (over ssh).";

/** Planned work: what leaves in order, so that nobody is fenced and nothing taken over. */
export function register(program: Command): void {
  machineCommand(program, "reboot", {
    summary: "reboot a machine by plan, and wait for 1+1",
    description:
      "The machine leaves the cluster in order and reboots; its peer serves on and fences nobody. Refused while the peer could not " +
      `serve alone. Ends when it is 1+1 again; on the machine itself, when the reboot has begun. ${where}`,
    force: "reboot it also where nobody serves until it is back",
    within: "15m",
    examples: `
  duet reboot node2                           from node1, or beside site.yaml
  duet reboot node1 && duet reboot node2      both in turn, beside site.yaml
  duet reboot node2 shop.yaml --within 30m    a machine that boots slowly`,
  });
  machineCommand(program, "standby", {
    summary: "let a machine run nothing, until unstandby",
    description:
      "The machine leaves the cluster in order and runs nothing, also after a reboot, until `duet unstandby`; its peer serves alone. " +
      `Refused while the peer could not. ${where}`,
    force: "also where nobody serves until it is off standby",
    within: "4m",
    examples: `
  duet standby node2
  duet standby node2 --json | jq .status.whole`,
  });
  machineCommand(program, "unstandby", {
    summary: "let a machine that is on standby work again, and wait for 1+1",
    description: `The machine joins its peer again. Ends at 1+1. ${where}`,
    within: "15m",
    examples: `
  duet unstandby node2`,
  });
  maintenance(program);
}

interface Words {
  readonly summary: string;
  readonly description: string;
  readonly force?: string;
  readonly within: string;
  readonly examples: string;
}

function machineCommand(program: Command, name: "reboot" | "standby" | "unstandby", words: Words): void {
  const command = program
    .command(name)
    .summary(words.summary)
    .description(words.description)
    .argument("<machine>", "its name in the site file")
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml");
  if (words.force !== undefined) command.option("--force", words.force);
  common(command)
    .option("--within <duration>", "give up waiting then: 90s, 15m", words.within)
    .addHelpText("after", `\nExamples:${words.examples}\n${exits}`)
    .action(async (machine: string, site: string | undefined, options: PlannedOptions) => {
      const { plannedCommand } = await import("./planned-command.ts");
      const deed = { do: name, machine, force: options.force === true } as const;
      process.exitCode = await plannedCommand(deed, site, options, program.version() ?? "");
    });
}

function maintenance(program: Command): void {
  const command = program
    .command("maintenance")
    .summary("let Pacemaker start, stop and watch nothing, or everything again")
    .description(
      "Pacemaker's maintenance-mode, on both machines and over reboots: what runs goes on, and Pacemaker starts, stops, watches and " +
        "fences nothing. If a machine is lost then, nobody serves until maintenance is off. `duet status` says so as long as it is on. " +
        where,
    )
    .addArgument(new Argument("<word>", "on or off").choices(["on", "off"]))
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml");
  common(command)
    .addHelpText("after", `\nExamples:\n  duet maintenance on\n  duet maintenance off shop.yaml\n${exits}`)
    .action(async (word: string, site: string | undefined, options: PlannedOptions) => {
      const { plannedCommand } = await import("./planned-command.ts");
      const deed = { do: "maintenance", on: word === "on" } as const;
      process.exitCode = await plannedCommand(deed, site, options, program.version() ?? "");
    });
}

const common = (command: Command): Command =>
  command
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    // What a seat asks of a machine: to do it there, now, with no wait.
    .addOption(new Option("--here").hideHelp())
    .option("--json", "print the outcome as JSON");
