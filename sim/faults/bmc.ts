import type { Tag } from "../../src/decide/facts.ts";
import { isNewer } from "../../src/decide/lineage.ts";
import { tagOf, tagText } from "../agents/facts.ts";
import type { Node } from "../agents/node.ts";
import { other_site, readTag } from "../agents/tag.ts";
import type { Fault } from "../bmc.ts";
import { label } from "../kernel/label.ts";
import type { Site } from "../agents/site.ts";
import type { World } from "../world.ts";
import type { Tap } from "../wire.ts";
import { cutLinks, second_us, some_us, type StormFault, type Trouble } from "./fault.ts";

const whose = label("storm.claim");
const slowness = label("storm.slow-bmc");
const whichText = label("storm.tag-text");

/**
 * Every fault of the lab's BMC, or this does not compile. One that can't be had is named here with the reason.
 * `stale-power-state` freezes what the BMC says of a machine that is on: one that says Off of a running machine can't be made
 * safe, and is assumed not to be (design 3).
 */
const kinds: Record<Fault["kind"], (trouble: Trouble) => Fault | undefined> = {
  unreachable: () => ({ kind: "unreachable" }),
  lies: () => ({ kind: "lies" }),
  "graceful-off": () => ({ kind: "graceful-off" }),
  "refuses-done": () => ({ kind: "refuses-done" }),
  "accepted-no-effect": () => ({ kind: "accepted-no-effect" }),
  "hang-after-connect": () => ({ kind: "hang-after-connect" }),
  "hang-in-tls": () => ({ kind: "hang-in-tls" }),
  drip: () => ({ kind: "drip" }),
  unauthorized: () => ({ kind: "unauthorized" }),
  "server-error": () => ({ kind: "server-error" }),
  "session-limit": () => ({ kind: "session-limit" }),
  "stale-power-state": ({ world, machine }) =>
    world.machine(machine).powered ? { kind: "stale-power-state" } : undefined,
  "no-power-state": () => ({ kind: "no-power-state" }),
  // A second is harmless, four are longer than a reading may take, twenty than anything.
  slow: ({ world: { kernel } }) => ({
    kind: "slow",
    seconds: [1, 4, 20][kernel.choices.pick(slowness, 3)] ?? 1,
  }),
  "forgets-tag": () => ({ kind: "forgets-tag" }),
  "older-tag": () => ({ kind: "older-tag" }),
};

export function setFor(trouble: Trouble, fault: Fault, long_us: number): void {
  const bmc = trouble.world.bmc(trouble.machine);
  bmc.setFaults([...bmc.faults.filter(({ kind }) => kind !== fault.kind), fault]);
  trouble.world.kernel.after(long_us, () =>
    bmc.setFaults(bmc.faults.filter(({ kind }) => kind !== fault.kind)),
  );
}

const withFault = (kind: Fault["kind"]): StormFault => ({
  name: `a BMC's fault: ${kind}`,
  run: (trouble) => {
    const fault = kinds[kind](trouble);
    const long_us = some_us(trouble);
    if (fault !== undefined) setFor(trouble, fault, long_us);
  },
});

/** Those that last. Nothing restarts a BMC here, so `forgets-tag` and `older-tag` have their own; `no-power-state` comes to both at once, with people who trust their own eyes (`words.ts`); `refuses-done` hinders nobody, and has a story of its own. */
const lasting: readonly Fault["kind"][] = [
  "unreachable",
  "lies",
  "graceful-off",
  "accepted-no-effect",
  "hang-after-connect",
  "hang-in-tls",
  "drip",
  "unauthorized",
  "server-error",
  "session-limit",
  "stale-power-state",
  "slow",
];

function restart({ world, machine }: Trouble): void {
  world.bmc(machine).handle({ kind: "manager reset" }, () => undefined);
}

/** The tag is gone when the BMC is back. */
const forget = (trouble: Trouble): void => {
  if (isLastWarning(trouble.world, trouble.site, trouble.machine)) return;
  setFor(trouble, { kind: "forgets-tag" }, some_us(trouble));
  restart(trouble);
};

/**
 * It shows the tag before the last when it is back. Not where that would leave nothing to tell a machine with older data: with the
 * newest tag in no other BMC, and never seen in this one by a machine that does not hold what it stands for, no rule could
 * know of it (docs/witness.md).
 */
export function fallBack({ world, site, machine }: Trouble): void {
  const bmc = world.bmc(machine);
  const newest = tagThere(world, machine);
  const other = tagThere(world, 1 - machine);
  const isUnknownTo = ({ state, seen }: Node): boolean => {
    const known = readTag(seen.value[machine === 0 ? 0 : 1].tag ?? "");
    const isSeen = known.kind === "lineage" && newest.kind === "lineage" && known.epoch >= newest.epoch;
    return newest.kind === "lineage" && isNewer(newest, state.value.lineage) && !isSeen;
  };
  const isOlder = other.kind === "lineage" && newest.kind === "lineage" && other.epoch < newest.epoch;
  if (!bmc.serving || (isOlder && site.nodes.some(isUnknownTo)) || isLastWarning(world, site, machine))
    return;
  const before = bmc.faults;
  bmc.setFaults([...before, { kind: "older-tag" }]);
  bmc.restart();
  bmc.setFaults(before);
}

const tagThere = (world: World, machine: number): Tag => readTag(world.bmc(machine).tag);

/**
 * As after its own start, before it has looked at its machine. Only where nothing else can take the command: who reads Off waits for no
 * turn, and with a power strip each of two machines could switch the other off.
 */
function blind({ world, machine }: Trouble, long_us: number): void {
  const bmc = world.bmc(machine);
  bmc.blind = true;
  world.kernel.after(long_us, () => {
    bmc.blind = false;
  });
}

export const blindAndCut = "a BMC shows Off and refuses commands, and both links are cut";

export const unansweredAndCut =
  "a BMC shows Off and refuses commands, its refusals are lost, and both links are cut";

/** For sites without a power strip. */
export const blindFaults: readonly StormFault[] = [
  {
    name: "a BMC shows Off and refuses commands",
    run: (trouble) => blind(trouble, some_us(trouble)),
  },
  {
    name: blindAndCut,
    run: (trouble) => {
      const long_us = some_us(trouble);
      blind(trouble, long_us);
      cutLinks(trouble, long_us);
    },
  },
  {
    name: unansweredAndCut,
    run: (trouble) => {
      const { world } = trouble;
      const long_us = some_us(trouble);
      blind(trouble, long_us);
      cutLinks(trouble, long_us);
      const tap: Tap = (_, __, message) => (isRefusal(message) ? "lose" : "pass");
      world.management.tap = tap;
      world.kernel.after(lost_us, () => {
        if (world.management.tap === tap) world.management.tap = undefined;
      });
    },
  },
];

/** For so long: the next command is answered. */
const lost_us = 10 * second_us;

const isRefusal = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "status" in message && message.status === 503;

export const bmcFaults: readonly StormFault[] = [
  ...lasting.map(withFault),
  { name: "a BMC restarts", run: restart },
  { name: "a BMC restarts, and forgets its tag", run: forget },
  { name: "a BMC restarts, and falls back to an older tag", run: fallBack },
  {
    name: "both BMCs are away",
    run: (trouble) => {
      const long_us = some_us(trouble);
      for (const { id } of trouble.world.machines)
        setFor({ ...trouble, machine: id }, { kind: "unreachable" }, long_us);
    },
  },
  {
    name: "a BMC is away, and the machine hangs",
    run: (trouble) => {
      const { world, machine } = trouble;
      const long_us = some_us(trouble);
      setFor(trouble, { kind: "unreachable" }, long_us);
      const { life } = world.machine(machine);
      world.machine(machine).hang();
      world.kernel.after(long_us, () => {
        if (world.machine(machine).life === life) world.machine(machine).resume();
      });
    },
  },
];

/** What somebody else writes into an asset tag, and what a BMC from another duet site brings along. */
const foreign = ["asset 4711", other_site] as const;

/**
 * Nothing but this tag tells a machine that lives, and was taken for dead on somebody's word, that the other has taken over: who lost its peer in this
 * boot goes on without tags, and no rule could know of it without this one, unless it has read it (docs/witness.md).
 */
function isLastWarning(world: World, site: Site, machine: number): boolean {
  const newest = tagThere(world, machine);
  const other = tagThere(world, 1 - machine);
  // One that is about to restart and forget tells nobody any more.
  const stays = other.kind === "lineage" && !world.bmc(1 - machine).has("forgets-tag");
  if (newest.kind !== "lineage" || (stays && other.epoch >= newest.epoch)) return false;
  return site.nodes.some(({ memory, state }) => {
    const { heard, tags } = memory.remembered;
    if (tags.some(({ epoch, owner }) => epoch === newest.epoch && owner === newest.owner)) return false;
    // A peer that is here again, and is lost before it says what it holds, has told nothing of it either.
    const isTold = heard === undefined || !isNewer(newest, heard.holding.lineage);
    return !isTold && isNewer(newest, state.value.lineage);
  });
}

function overwrite({ world, site, machine }: Trouble): void {
  const text = foreign[world.kernel.choices.pick(whichText, foreign.length)] ?? foreign[0];
  if (!isLastWarning(world, site, machine)) world.bmc(machine).writeTag(text);
}

/**
 * A copy of a BMC's settings from a later time: the tag claims an epoch that nobody here has reached. It does not replace what
 * its owner has not heard of, nor a tag that was lost, behind which anything may stand: the owner takes its own name for its own,
 * and a forged tag can't be told from a written one.
 */
export function claim({ world, site, machine }: Trouble): void {
  const bmc = world.bmc(machine);
  const owner = site.nodes[world.kernel.choices.pick(whose, 2)];
  const there = tagOf({ status: 200, tag: bmc.tag });
  if (owner === undefined || there.kind !== "lineage" || isNewer(there, owner.state.value.lineage)) return;
  const epochs = site.nodes.map(({ state }) => state.value.lineage?.epoch ?? 0);
  bmc.writeTag(tagText({ epoch: Math.max(...epochs) + 1, owner: owner.name }));
}

export const overBothTags = "somebody writes a text of his own over both tags";

/** These leave a machine that boots alone without a witness. */
export const tagFaults: readonly StormFault[] = [
  { name: "a BMC claims a later epoch", run: claim },
  {
    name: "both BMCs restart and forget their tags",
    run: (trouble) => {
      for (const { id } of trouble.world.machines) forget({ ...trouble, machine: id });
    },
  },
  {
    name: "somebody writes a text of his own over a tag",
    run: overwrite,
  },
  {
    name: overBothTags,
    run: (trouble) => {
      for (const { id } of trouble.world.machines) overwrite({ ...trouble, machine: id });
    },
  },
];
