import type { Command } from "commander";

export function register(program: Command): void {
  const wal = program
    .command("wal")
    .description("Reads etcd's log on disk, without etcd: what this machine's data says about itself.");

  wal
    .command("show <folder>")
    .description("Shows the facts: ids, terms and indexes, snapshot, and what the member is by its own log.")
    .option("--json", "print JSON; ids are hexadecimal, as etcdctl prints them")
    .addHelpText(
      "after",
      `
FOLDER is etcd's data folder, the one that holds \`member\`. Nothing in it is changed. Stop etcd first: of a running one the
newest record may look unfinished.

Exit status: 0 shown, 1 the data is damaged (the message names file and offset), 2 there is no etcd data in FOLDER.

Examples:
  duet wal show /var/lib/etcd
  duet wal show --json /var/lib/etcd | jq -r .standing`,
    )
    .action(async (folder: string, flags: { readonly json?: boolean }) => {
      const { show } = await import("./wal-command.ts");
      show(folder, flags.json === true);
    });

  wal
    .command("check <folder>")
    .description("Checks every record of the log, its snapshots and its database against each other.")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
FOLDER is etcd's data folder, the one that holds \`member\`. Nothing in it is changed. Stop etcd first.

Exit status: 0 sound, 1 not sound (with file and offset), 2 there is no etcd data in FOLDER.

Example:
  duet wal check /var/lib/etcd`,
    )
    .action(async (folder: string, flags: { readonly json?: boolean }) => {
      const { check } = await import("./wal-command.ts");
      process.exitCode = check(folder, flags.json === true);
    });

  wal
    .command("alone <folder>")
    .description(
      "After `duet uninstall --force`: makes the log of a stopped voter ready to be started alone, and prints the flag that etcd needs then.",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
FOLDER is etcd's data folder, the one that holds \`member\`. A follower learns late what is committed, and \`etcd --force-new-cluster\`
drops what it does not know to be, acknowledged or not. So a record is written to the log that all of it is committed; the log as it
was is kept in FOLDER.before-alone. Harmless to repeat. Who is the only voter by its own log needs neither, and nothing is printed.
Never while the other member runs: both would serve, and go apart.

Exit status: 0 ready; 1 it may not be started alone, or etcd runs on it; 2 there is no etcd data in FOLDER; 3 this is a machine of
duet's, which starts etcd by its own rules.

Example:
  etcd --data-dir /var/lib/duet/etcd $(duet wal alone /var/lib/duet/etcd)`,
    )
    .action(async (folder: string, flags: { readonly json?: boolean }) => {
      const { alone } = await import("./wal-command.ts");
      await alone(folder, flags.json === true);
    });
}
