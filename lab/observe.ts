import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as v from "valibot";
import { fail } from "../src/base/problem.ts";
import { sleep } from "../src/machine/clock.ts";
import type { Lab } from "./folder.ts";
import { commandIn } from "./run.ts";

/** What a machine's journal says about its peer, as it says it. The times are the journal's own, on the box's one clock. */
export type Sight = "lost" | "fence asked" | "off confirmed" | "member" | "online";

const phrases: readonly { readonly sight: Sight; readonly says: (peer: string) => RegExp }[] = [
  { sight: "lost", says: (p) => new RegExp(`Node ${p} state is now lost`) },
  { sight: "fence asked", says: (p) => new RegExp(`Requesting fencing \\(off\\) targeting node ${p}\\b`) },
  { sight: "off confirmed", says: (p) => new RegExp(`Operation 'off' targeting ${p} by .*: OK`) },
  { sight: "member", says: (p) => new RegExp(`Node ${p} state is now member`) },
  { sight: "online", says: (p) => new RegExp(`Setting #feature-set\\[${p}\\]`) },
];

export interface Seen {
  readonly sight: Sight;
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
}

export interface Watch {
  /** The first such sight at or after `after_ms`; waits for it. */
  readonly wait: (sight: Sight, after_ms: number, deadline_ms: number) => Promise<Seen>;
  readonly stop: () => void;
}

const stamp = "__REALTIME_TIMESTAMP";
const entry = v.object({ MESSAGE: v.string(), [stamp]: v.string() });

const journal = "journalctl --follow --lines=0 --output=json --unit=corosync --unit=pacemaker".split(" ");

/** Follows what `machine` sees of `peer`, from now on. */
export async function watchPeer(lab: Lab, machine: string, peer: string): Promise<Watch> {
  const [program, ...args] = await commandIn(lab, machine, journal);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], detached: true });
  const seen: Seen[] = [];
  let wake = () => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    const parsed = readEntry(line);
    if (parsed === undefined) return;
    for (const { sight, says } of phrases) {
      if (!says(escape(peer)).test(parsed.MESSAGE)) continue;
      seen.push({ sight, at_ms: Number(parsed[stamp]) / 1000 });
      wake();
    }
  });
  return {
    wait: async (sight, after_ms, deadline_ms) => {
      const end = AbortSignal.timeout(deadline_ms);
      while (!end.aborted) {
        const found = seen.find((s) => s.sight === sight && s.at_ms >= after_ms);
        if (found !== undefined) return found;
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([woken, sleep(200)]);
      }
      return fail(
        "DUET-E-WAIT-DEADLINE",
        machine,
        `did not see "${peer} ${sight}" within ${deadline_ms} ms`,
        `duet lab run ${machine} --name ${lab.name} -- journalctl -u corosync -u pacemaker`,
      );
    },
    stop: () => {
      // The whole group: nsenter does not take what it started with it.
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The machine went, and it with it.
      }
    },
  };
}

/** A line of the journal; one that was cut off by a power loss, or has a message that is no text, tells nothing. */
function readEntry(line: string): v.InferOutput<typeof entry> | undefined {
  try {
    const parsed = v.safeParse(entry, JSON.parse(line));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
