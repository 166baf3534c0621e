import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as timer } from "node:timers/promises";
import { paths } from "../../base/paths.ts";
import { sleep } from "../../machine/clock.ts";
import { saidGoodbye } from "../../machine/cluster-journal.ts";
import { membership } from "../../machine/corosync.ts";
import { readIfThere } from "../../machine/files.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import { memoryFile } from "../../record/memory.ts";
import type { Site } from "../../site/site.ts";
import { callsSomebody, Said } from "../status/said.ts";
import { Desk, type Way } from "./desk.ts";
import type { Event } from "./event.ts";
import { arrivals, discard, hasArrivals, type InboxPlaces } from "./inbox.ts";
import { messageOf } from "./message.ts";
import { Spool } from "./spool.ts";
import { openWays } from "./ways.ts";

const ring_ms = 1_000;
const journal_ms = 2_000;
/** News come in groups. */
const settle_ms = 50;
const rest_ms_max = 60_000;
const refusal_ms = 60_000;
/** A loss is followed by a fence and a takeover: to start anew for each would take more of a busy machine than to wait. */
const linger_ms = 5_000;

/** What systemd starts when something came in, and at boot: delivers until nothing is left. */
export async function runAlerts(): Promise<void> {
  const me = (await readIfThere(paths.machine))?.trim() ?? "";
  const site = await loadSite(paths.site);
  await deliver({
    site,
    me,
    ways: await openWays(site, siteFolder(paths.site)),
    folder: paths.alerts,
    places: { drop: paths.alertDrop, raised: paths.alertRaised },
    peerLeft: async () => (await saidGoodbye(journal_ms).catch(() => false)) || hadLeft(),
    ring: async () => (await membership(ring_ms)).ring,
    said: new Said(),
    linger_ms,
    complain: (line) => process.stderr.write(`${line}\n`),
  });
}

/** By duet's own picture. */
const hadLeft = (): boolean => memoryFile(join(paths.run, "record.json")).load()?.sight?.leaving === true;

export interface Delivery {
  readonly site: Site;
  readonly me: string;
  readonly ways: readonly Way[];
  readonly folder: string;
  readonly places: InboxPlaces;
  /** The peer that is no member any more went in order. */
  readonly peerLeft: () => Promise<boolean>;
  /** The membership's name, which both machines have. */
  readonly ring: () => Promise<string>;
  readonly said: Pick<Said, "all">;
  readonly complain?: (line: string) => void;
  /** So long it stays when nothing is left, for what may come. */
  readonly linger_ms?: number;
}

export async function deliver(given: Delivery): Promise<void> {
  const { site, me, ways, folder, places, said } = given;
  const desk = new Desk({
    spool: new Spool(folder),
    ways,
    ...(given.complain === undefined ? {} : { complain: given.complain }),
    isStill: ({ question, rule }) =>
      Object.entries(said.all()).some(
        ([asked, { rule: now, do: deed }]) => asked === question && (now === rule || callsSomebody.has(deed)),
      ),
  });
  await desk.open();
  const machines = site.machines.map(({ name }) => name);
  for (;;) {
    for (const arrival of await arrivals(places, { me, machines })) {
      if (arrival.event !== undefined && ways.length > 0) {
        const event = await knownBetter(arrival.event, given);
        const happening = await happeningOf(event, given);
        const stamp = { site: site.name, machine: me, id: arrival.id };
        await desk.take(event, messageOf(event, happening === undefined ? stamp : { ...stamp, happening }));
      }
      await discard(arrival);
    }
    await desk.round();
    const { rest_ms } = desk;
    await news(places, Math.min(rest_ms ?? given.linger_ms ?? 0, rest_ms_max));
    if (rest_ms === undefined && !(await hasArrivals(places))) return;
    await sleep(settle_ms);
  }
}

/** Of an event that both machines see: the same name on both. */
async function happeningOf({ kind }: Event, { site, ring }: Delivery): Promise<string | undefined> {
  if (kind !== "whole") return undefined;
  const name = await ring().catch(() => undefined);
  return name === undefined ? undefined : `${site.name}/${kind}/${name}`;
}

/** Pacemaker calls each machine lost that is gone, also one that somebody has shut down. */
async function knownBetter(event: Event, { peerLeft, said, ring }: Delivery): Promise<Event> {
  if (event.kind === "machine-lost" && (await peerLeft())) return { ...event, kind: "machine-left" };
  if (event.kind !== "fence-done" || event.ring !== undefined) return refusalIn(event, said);
  // Pacemaker does not say for which loss it was: for the one of now.
  const now = await ring().catch(() => undefined);
  return now === undefined ? event : { ...event, ring: now };
}

/** A fence that fails because a rule says so is told in that rule's words. */
function refusalIn(event: Event, said: Delivery["said"]): Event {
  const { fence } = said.all();
  if (event.kind !== "fence-failed" || fence?.do !== "refuse-fence" || Date.now() - fence.at_ms > refusal_ms)
    return event;
  return { ...event, rule: fence.rule, why: fence.sentence };
}

/** Waits until something comes in, so long at most. */
async function news(places: InboxPlaces, within_ms: number): Promise<void> {
  if (within_ms === 0) return;
  const ending = new AbortController();
  const changed = [places.drop, places.raised].map(
    (folder) =>
      new Promise<void>((resolve) => {
        try {
          const watcher = watch(folder, { signal: ending.signal });
          watcher.once("change", () => resolve());
          watcher.once("error", () => resolve());
        } catch {
          // Not there yet: then it is looked at when the time is over.
        }
      }),
  );
  // A timer that is left behind would keep this process, and with it the unit, when all is done.
  const over = timer(within_ms, undefined, { signal: ending.signal }).catch(() => undefined);
  // What came before the watch began sends no event.
  if (!(await hasArrivals(places))) await Promise.race([over, ...changed]);
  ending.abort();
}
