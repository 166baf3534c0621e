import type { Command } from "commander";
import { registerFaults } from "./lab/faults.ts";
import { registerInside } from "./lab/inside.ts";
import { registerKubernetes } from "./lab/kubernetes.ts";
import { registerLife } from "./lab/life.ts";
import { registerPower } from "./lab/power.ts";

export function register(program: Command): void {
  const lab = program
    .command("lab")
    .description("Two machines with BMCs, wires and disks on this one Linux box, to try and to break.")
    .addHelpText(
      "after",
      `
Three ways to lose a machine:
  duet lab power cut node1     everything dead at once, no goodbye; its BMC reads Off
  duet lab power hang node1    frozen; its BMC still reads On, a graceful reset is ignored
  duet lab feed off node1      machine and BMC both dead

Examples:
  duet lab up                  two machines, one cluster, in about 15 seconds
  duet lab wire cut link1      the first cluster link between the machines is gone
  duet lab shell node1         a shell on a machine;  duet lab shell seat: the operator's
  duet lab down                nothing is left behind`,
    );
  // Said once, before any of them does anything: where machines can't run, and that the lab needs the checkout's files.
  lab.hook("preAction", async () => {
    const { requireHost } = await import("../../lab/host.ts");
    const { checkoutFolder } = await import("../../lab/checkout.ts");
    checkoutFolder();
    requireHost();
  });
  registerLife(lab);
  registerPower(lab);
  registerFaults(lab);
  registerInside(lab);
  registerKubernetes(lab);
}
