import { type DeedKind, isDeed } from "./phrases.ts";
import { takesSomebody } from "./roles.ts";
import type { Ask, Header, Step } from "./scenario.ts";
import type { MachineName, Wire } from "./slots.ts";

/**
 * Does an API server go on that still has what its watchers have not seen? One that starts has no past, and sends a watcher that comes
 * to it back to the list (410 Gone). So does one whose etcd has had no leader for half a minute: it gives up its watch on etcd then, and
 * begins anew (`MaxInternalErrorRetryDuration` in the cache of kube-apiserver 1.36). So it is sure only where one machine, and always the
 * same, is all that was ever taken away, and nothing draws out the time until the other one serves. What the steps do not tell is not sure.
 */
export function isRemembered(
  { bmc, escalate }: Pick<Header, "bmc" | "escalate">,
  steps: readonly Step[],
): boolean {
  // Who can't be stopped is fenced there, whatever was only to be killed.
  if (escalate) return false;
  if (Object.values(bmc).some(({ off_ms }) => off_ms > off_ms_max)) return false;
  const cut = new Set<Wire>();
  /** Surely the same machine only if the same text. Who leads now may be another one than led before. */
  let peer = "the peer";
  let away: { readonly who: string; readonly part: Part } | undefined;
  for (const [index, { ask, at }] of steps.entries()) {
    if (at !== undefined || ask.kind === "expect-none-serves") return false;
    if (isTogether(ask.kind) && away?.part === "etcd") away = undefined;
    if (!isDeed(ask.kind) || harmless.has(ask.kind)) continue;
    if (ask.kind === "heal-wire") {
      for (const link of linksIn(ask.wire)) cut.delete(link);
      continue;
    }
    const part = takenBy(ask, cut);
    if (part === undefined) return false;
    const who = "machine" in ask && !takesSomebody(ask.kind) ? ask.machine : "whoever loses";
    if (who !== "the peer") peer = who === "node1" || who === "node2" ? who : `${who} at step ${index}`;
    if (part === "nothing") continue;
    if (away !== undefined && away.who !== peer) return false;
    away = { who: peer, part: away === undefined || away.part === part ? part : "machine" };
  }
  return true;
}

/** What of a machine is away: all of it, or its etcd alone, which is back at 1+1 and takes no API server along. */
type Part = "machine" | "etcd";

const isTogether = (kind: string): boolean => kind === "until-1+1" || kind === "expect-1+1";

/** A BMC that is slower may take too long in all. */
const off_ms_max = 10_000;

/** These take no API server away, and draw nothing out. */
const harmless: ReadonlySet<string> = new Set<DeedKind>([
  "repair",
  "restore-feed",
  "power-on",
  "bring-online",
  "unstandby",
  "bmc-well",
  "pdu-well",
  "plug",
  "unit-wont-start",
  "unit-wont-stop",
  "mend-unit",
  "free-disk",
  "fast-disk",
  "jump-clock",
  "rotate-credentials",
  "clients-write",
  "clients-rate",
  "api-clients-write",
  "deploy",
  "stop-clients",
  "wait",
]);

/** Nobody waits for its turn in a race. node1 has the first one, and if it hangs it may be about to use it. */
const second: MachineName = "node2";

/** By these the other machine serves alone as soon as it can: Off is read at once, or the machine says goodbye. */
const quick: ReadonlySet<string> = new Set<DeedKind>([
  "cut-power",
  "break",
  "reboot",
  "shut-down",
  "standby",
  "wipe-data",
]);

/** Undefined: it is not sure what the step takes, or that the other machine serves soon. */
function takenBy(ask: Ask, cut: Set<Wire>): Part | "nothing" | undefined {
  if (quick.has(ask.kind)) return "machine";
  if (ask.kind === "hang") return ask.machine === second ? "machine" : undefined;
  if (ask.kind === "kill-unit") {
    if (ask.unit === "etcd") return "etcd";
    return ask.unit === "kubelet" || ask.unit === "crio" ? "nothing" : undefined;
  }
  if (ask.kind !== "cut-wire" && ask.kind !== "cut-one-way") return undefined;
  // Without the management wire nobody can prove anything.
  if (ask.wire === "mgmt" || ask.wire === "everything") return undefined;
  for (const link of linksIn(ask.wire)) cut.add(link);
  return cut.size === 1 ? "nothing" : "machine";
}

const linksIn = (wire: Wire): readonly Wire[] => links[wire];
const links: Readonly<Record<Wire, readonly Wire[]>> = {
  link1: ["link1"],
  link2: ["link2"],
  mgmt: [],
  links: ["link1", "link2"],
  everything: ["link1", "link2"],
};
