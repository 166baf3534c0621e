import type { Node } from "./agents/node.ts";
import type { Site } from "./agents/site.ts";
import type { Check } from "./checks.ts";
import { claims, ofBothDisks, untrue } from "./reasons.ts";
import type { World } from "./world.ts";

/** For how long a sentence may have been so, and be no more. */
interface Patience {
  readonly waiting_us: number;
  readonly other_us: number;
  /** Also what is said of the disk of a peer that is away: it may have become another since it was heard. */
  readonly ofAbsent: boolean;
}

/** Who stands still looks again each ten seconds, and waits a while for a BMC that says nothing: then it says what is so now. */
export const inStories: Patience = { waiting_us: 20_000_000, other_us: 20_000_000, ofAbsent: true };
/**
 * In a storm it looks half as often, its words may be lost or late, and BMCs are slower than anybody waits for. Who waits tells what was so before where the
 * question of a look is lost on its way: three in a row were met once in a hundred thousand storms, and nobody acts on a wait.
 */
export const inStorms: Patience = { waiting_us: 105_000_000, other_us: 45_000_000, ofAbsent: false };
const look_us = 250_000;
/** From when a machine has read the tags until it acts on them: a text that somebody writes over one meanwhile makes no alarm false. */
const tagsRead_us = 5_000_000;

/**
 * As storms hold it against the world at their end (sim/mend.ts), but all the time, with every fault that comes: what a
 * person would read there now, and would act on.
 */
export const trueSentences = (site: Site, patience = inStories): Check => ({
  name: "a reason that is not true",
  sentence: "where a machine waits, stops or calls for a person, the reason that it gives is true",
  watch: (world) => {
    const { kernel } = world;
    const fail = (wrong: string, node: Node) =>
      kernel.fail("a reason that is not true", `${wrong}; ${told(node)}`);
    /** Since when what it says is not so, whatever it said meanwhile. */
    const since_us: (number | undefined)[] = [undefined, undefined];
    const claimed_us = [-tagsRead_us, -tagsRead_us];
    let next_us = 0;
    kernel.afterEvent.push(() => {
      if (kernel.now_us < next_us) return;
      next_us = kernel.now_us + look_us;
      for (const node of site.nodes) {
        if (claims["R-TAGS-CLAIM"]?.({ world, site }, node.id) === true) claimed_us[node.id] = kernel.now_us;
        const wrong = patience.ofAbsent || !isOfAbsent(world, node) ? wrongOf(world, site, node) : undefined;
        const from_us = (since_us[node.id] ??= kernel.now_us);
        if (wrong === undefined) since_us[node.id] = undefined;
        else if (kernel.now_us - from_us > patienceFor(node, patience)) fail(wrong, node);
      }
    });
    // An alarm ends what serves, and nobody says it again: it has to be so when it is acted on, or when the tags were read, and not for longer.
    const alarms: Node["verdict"][] = [];
    site.stepped.push((machine) => {
      const node = site.nodes[machine];
      if (node?.verdict?.decision.do !== "stop-and-alarm" || node.verdict === alarms[machine]) return;
      alarms[machine] = node.verdict;
      const wrong = wrongOf(world, site, node);
      const wasSo = kernel.now_us - (claimed_us[machine] ?? 0) < tagsRead_us;
      if (wrong !== undefined && !wasSo) fail(wrong, node);
    });
  },
});

const isOfAbsent = (world: World, { id, peer, verdict }: Node): boolean =>
  verdict !== undefined && ofBothDisks.has(verdict.rule) && !world.corosync.view(id).members.includes(peer);

const patienceFor = ({ verdict }: Node, { waiting_us, other_us }: Patience): number => {
  const known_us = verdict?.decision.do === "wait" ? waiting_us : other_us;
  return verdict?.rule === "R-ETCD-LAST-COPY" ? known_us + nextTry_us : known_us;
};
/** Its sentence says that etcd is tried again each minute: whether it starts again by then nobody knows before. */
const nextTry_us = 60_000_000;

/** What is wrong with the reason that this machine gives; undefined: it gives none, or says what is so. */
export function wrongOf(world: World, site: Site, node: Node): string | undefined {
  const { id, verdict } = node;
  const { up, hung } = world.machine(id);
  if (!up || hung || verdict === undefined || isLeftBehind(world, node)) return undefined;
  return untrue({ world, site }, id, verdict);
}

/**
 * With the peer back the guard looks no more, and the agent looks only where Pacemaker has started it: not in maintenance or on
 * standby. What was said last stands there until that is over, and status shows how old it is.
 */
const isLeftBehind = (world: World, { id, peer, memory }: Node): boolean =>
  !memory.started && world.pacemaker.isHeldBack(id) && world.corosync.view(id).members.includes(peer);

export const told = ({ name, verdict }: Node): string => `${name} says: ${verdict?.sentence ?? ""}`;
