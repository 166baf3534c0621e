import { type Known, knownAfter } from "../../src/agents/hands/tag-seen.ts";
import type { Facts } from "../../src/decide/facts.ts";
import type { BmcAnswer } from "../bmc.ts";
import type { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Node } from "./node.ts";
import { readTag } from "./tag.ts";

/** What one machine's disk says of the tags in both BMCs, each of which passed its test. */
export type TagsSeen = readonly [Known, Known];
export const nothing_seen: TagsSeen = [{}, {}];

const attribute = "duet-witness";
const lostLine = traceKind(
  "duet.witness",
  (machine, bmc, found) =>
    `${machine}: the BMC of machine ${bmc} lost its tag (${found}): it is no witness any more`,
);

/** A BMC that was seen without a tag that it had is none, on this machine and soon on the other: nobody tests it anew here. */
export function witnessOf({ site, seen }: Node): Facts["witness"] {
  const isLost = seen.value.some(({ lost }) => lost !== undefined);
  return site.witness === "on" && isLost ? "unproven" : site.witness;
}

/** To be told what was read, and whether something is written over it now. */
type Watch = (answer: BmcAnswer | undefined, over?: boolean) => Promise<void>;

/** As src/agents/hands/tag-watch.ts: to be called before the BMC is. */
export function watchTag(node: Node, life: Life, bmc: number): Watch {
  if (node.site.witness !== "on") return () => Promise.resolve();
  const held = of(node.seen.value, bmc);
  return async (answer, over = false) => {
    if (answer?.tag === undefined) return;
    const { tag: text } = answer;
    const at = new Date(node.world.kernel.now_us / 1000).toISOString();
    const look = (was: Known) => knownAfter(parse, was, { text, over, at, held });
    if (look(held) !== held) await note(node, life, bmc, look);
  };
}

const parse = (text: string | null) => readTag(text ?? "");

/** A disk that takes nothing keeps nobody from a look. */
async function note(node: Node, life: Life, bmc: number, change: (was: Known) => Known): Promise<void> {
  const { world, id, seen, name } = node;
  const { disk } = world.machine(id);
  if (disk.readOnly) return;
  const mark = await world.kernel.tasks.effect(life, 100, () => {
    const was = of(seen.value, bmc);
    const is = change(was);
    if (is === was) return undefined;
    if (was.lost === undefined && is.lost !== undefined)
      world.kernel.note(lostLine, name, bmc, is.lost.found);
    return seen.write(bmc === 0 ? [is, seen.value[1]] : [seen.value[0], is]);
  });
  if (mark !== undefined) await world.kernel.tasks.effect(life, disk.sync_us(), () => seen.sync(mark));
}

const of = (all: TagsSeen, bmc: number): Known => (bmc === 0 ? all[0] : all[1]);

/** As src/agents/hands/witness-word.ts: what one has found out the other learns as soon as they are together. */
export async function shareWitness(node: Node, life: Life): Promise<void> {
  const { world, id, peer, seen } = node;
  if (node.site.witness !== "on") return;
  const own = seen.value.map(({ lost }) => lost?.found ?? "").join(" ");
  if (own !== " ") world.attributes.set(id, attribute, own);
  const said = world.attributes.get(id, peer, attribute)?.split(" ") ?? [];
  for (const [bmc, found] of said.entries())
    if ((found === "empty" || found === "older") && of(seen.value, bmc).lost === undefined)
      await note(node, life, bmc, (was) =>
        was.lost === undefined ? { ...was, lost: { at: "", found } } : was,
      );
}
