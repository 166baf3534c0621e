import type { Command } from "commander";

/** Hidden: what Pacemaker and systemd run on a machine. */
export function register(program: Command): void {
  program
    .command("agent", { hidden: true })
    .description("On a machine: one action of a resource agent. Run by Pacemaker.")
    .argument("<resource>", "etcd, pods")
    .argument("<action>", "start, stop, promote, demote, monitor, notify, validate-all; of pods only stop")
    .addHelpText("after", "\nExample:\n  duet agent etcd monitor")
    .action(async (resource: string, action: string) => {
      if (resource === "pods" && action === "stop") {
        const { endPods } = await import("../agents/pods/end.ts");
        return await endPods((line) => process.stderr.write(`the pods of this machine end: ${line}\n`));
      }
      const { etcdAction } = await import("../agents/etcd/agent.ts");
      const { etcdSeat } = await import("../agents/etcd/machine.ts");
      const { ocf } = await import("../agents/etcd/ocf.ts");
      const interval_ms = Number(process.env["OCF_RESKEY_CRM_meta_interval"] ?? "0") || 0;
      const status =
        resource === "etcd" ? await etcdAction(action, etcdSeat(), interval_ms) : ocf.notInstalled;
      // What a stop has left behind, such as a call to a silent BMC, must not hold its answer.
      process.exit(status);
    });
  program
    .command("work", { hidden: true })
    .description(
      "On a machine: looks, decides and acts until there is nothing to do. Run by duet-work.service.",
    )
    .addHelpText("after", "\nExample:\n  systemctl start duet-work.service")
    .action(async () => {
      const { runOneShot } = await import("../agents/etcd/machine.ts");
      await runOneShot();
    });
  program
    .command("guard", { hidden: true })
    .description(
      "On a machine: starts it without its peer where that is safe, and says why not where it is not. Run by duet-guard.service.",
    )
    .addHelpText("after", "\nExample:\n  systemctl status duet-guard.service")
    .action(async () => {
      const { runGuard } = await import("../agents/guard/machine.ts");
      await runGuard();
    });
  program
    .command("alerts", { hidden: true })
    .description("On a machine: delivers what people are to be told. Run by duet-alerts.service.")
    .addHelpText("after", "\nExample:\n  systemctl start duet-alerts.service")
    .action(async () => {
      const { runAlerts } = await import("../agents/alerts/machine.ts");
      await runAlerts();
    });
  program
    .command("api-watch", { hidden: true })
    .description(
      "On a machine: watches its API server for the virtual IP, and has pods replaced of a peer that is proven off. Run by duet-api.service.",
    )
    .addHelpText("after", "\nExample:\n  systemctl status duet-api.service")
    .action(async () => {
      const { runApiWatch } = await import("../agents/api/machine.ts");
      await runApiWatch();
    });
  program
    .command("fence", { hidden: true })
    .description("On a machine: fence_duet, which Pacemaker runs.")
    .argument("[options...]")
    .allowUnknownOption()
    // They are the agent's own, as the interface of fence agents has them.
    .helpOption(false)
    .action(async (options: readonly string[]) => {
      const { fenceAgent } = await import("../agents/fence/agent.ts");
      const { fenceMachine } = await import("../agents/etcd/machine.ts");
      process.exitCode = await fenceAgent(options, await fenceMachine(program.version() ?? ""));
    });
}
