import { type Known, knownAfter } from "../../src/agents/hands/tag-seen.ts";
import {
  agreedOn,
  type Said,
  type SaidByBoth,
  saidAfter,
  tell,
  type Told,
  withHeard,
} from "../../src/agents/hands/witness-agreed.ts";
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

/** What this machine's site file says. */
export const saysOf = ({ site, id }: Node): Said["witness"] => site.edited[id === 0 ? 0 : 1] ?? atFirst(site);

const atFirst = ({ witness }: Node["site"]): Said["witness"] => (witness === "off" ? "off" : "on");

const saidBy = ({ site, told }: Node): SaidByBoth => {
  const first = { witness: atFirst(site), number: 0 };
  return told.value ?? { mine: { ...first, heard: true }, theirs: first };
};

export const agreed = (node: Node) =>
  agreedOn(withHeard(saidBy(node), node.memory.remembered.heard), saysOf(node));

export function witnessOf(node: Node): Facts["witness"] {
  const by = agreed(node);
  return by === "apart" ? "unproven" : witnessBy(node, by);
}

/** A BMC that was seen without a tag that it had is none, on this machine and soon on the other: nobody tests it anew here. */
export function witnessBy({ site, seen }: Node, by: Said["witness"]): Facts["witness"] {
  if (by === "off") return "off";
  const isLost = seen.value.some(({ lost }) => lost !== undefined);
  // Setup tests no BMC of a site that had no witness then.
  return site.witness === "on" && !isLost ? "on" : "unproven";
}

/** To be told what was read, and whether something is written over it now. */
type Watch = (answer: BmcAnswer | undefined, over?: boolean) => Promise<void>;

/** As src/agents/hands/tag-watch.ts: to be called before the BMC is. */
export function watchTag(node: Node, life: Life, bmc: number): Watch {
  if (node.site.witness !== "on" || agreed(node) === "off") return () => Promise.resolve();
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

const saidAttribute = "duet-witness-said";

/**
 * As src/agents/hands/witness-word.ts: what is heard, and what is said, is on the disk before the other hears that. As long as nobody has
 * changed anything the two have told each other what there is to tell.
 */
export async function shareSaid(node: Node, life: Life, isPaired: boolean): Promise<void> {
  const { world, id, peer, site, told } = node;
  if (site.edited.every((each) => each === undefined)) return;
  const { disk } = world.machine(id);
  const heard = parseTold(world.attributes.get(id, peer, saidAttribute));
  const next = () => saidAfter(saidBy(node), saysOf(node), heard, isPaired);
  if (next() !== saidBy(node) && !disk.readOnly) {
    const mark = await world.kernel.tasks.effect(life, 100, () => told.write(next()));
    await world.kernel.tasks.effect(life, disk.sync_us(), () => told.sync(mark));
  }
  if (told.value === undefined || told.unsynced > 0) return;
  const { witness, number, noted } = tell(told.value);
  world.attributes.set(id, saidAttribute, `${witness} ${number} ${noted}`);
}

function parseTold(text: string | undefined): Told | undefined {
  const [witness, number, noted] = text?.split(" ") ?? [];
  if (witness !== "on" && witness !== "off") return undefined;
  return { witness, number: Number(number), noted: Number(noted) };
}

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
