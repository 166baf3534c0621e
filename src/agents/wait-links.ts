import { networkInterfaces } from "node:os";
import { fail } from "../base/problem.ts";
import { now_ms, sleep } from "../machine/clock.ts";
import { readIfThere } from "../machine/files.ts";
import { loadSite } from "../machine/site-file.ts";

const patience_ms = 10_000;
const deadline_ms = 60_000;

/**
 * Returns when this machine has the addresses that Corosync will bind to. With one of two links missing it goes on after
 * a while: a machine with an unplugged cable must still come up. With none it fails, and systemd tries again.
 */
export async function waitLinks(say: (text: string) => void): Promise<void> {
  const own = (await readIfThere("/etc/duet/machine"))?.trim();
  const site = await loadSite("/etc/duet/site.yaml");
  const wanted = site.machines.find((m) => m.name === own)?.addresses ?? [];
  const start_ms = now_ms();
  for (;;) {
    const missing = missingAddresses(wanted, present());
    const waited_ms = now_ms() - start_ms;
    if (missing.length === 0) return;
    if (missing.length < wanted.length && waited_ms > patience_ms) {
      say(`going on without ${missing.join(", ")}: a link is down`);
      return;
    }
    if (waited_ms > deadline_ms)
      fail(
        "DUET-E-LINKS-MISSING",
        own ?? "this machine",
        `none of its addresses ${wanted.join(", ")} is on an interface`,
        "see the machine's network configuration, or mend the addresses in the site file",
      );
    await sleep(50);
  }
}

/** Exact comparison: 192.0.2.1 is not the beginning of 192.0.2.10. */
export function missingAddresses(wanted: readonly string[], there: ReadonlySet<string>): readonly string[] {
  return wanted.filter((address) => !there.has(address));
}

function present(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((a) => a.address)));
}
