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
}
