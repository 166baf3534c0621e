import type { Decision } from "../decide/decision.ts";
import type { Choice, Facts, Holding, Lineage, Offer, Peer, Tag, Versions } from "../decide/facts.ts";
import { type Body, type Detail, format, type Stamp } from "./entry.ts";

/** So much of a text is kept: a BMC may answer with a page. */
const text_max = 2_000;
const detail_max = 16;

/** The first line of a file. */
export const firstLine = (machine: string): string =>
  `${JSON.stringify({ record: "duet", format, machine })}\n`;

/**
 * One entry as one line. Only what is named here is written, field by field: whatever else an object carries, a password
 * among it, does not come along. Undefined is written as null, so that a missing field is seen as one.
 */
export function encode(stamp: Stamp, body: Body): string {
  const { at, mono_ms, boot, machine, duet, by, pid } = stamp;
  const head = { at, mono_ms: Math.round(mono_ms * 1000) / 1000, boot, machine, duet, by, pid };
  return `${JSON.stringify({ ...head, ...bodyOf(body) }, (_key, value: unknown) => value ?? null)}\n`;
}

function bodyOf(body: Body): object {
  switch (body.kind) {
    case "decision": {
      const { kind, question, rule, path, decision, sentence, facts } = body;
      const plain = { decision: decisionOf(decision), sentence: clean(sentence), facts: factsOf(facts) };
      return { kind, question, rule, path: [...path], ...plain };
    }
    case "again": {
      const { kind, question, rule, count, for_ms } = body;
      return { kind, question, rule, count, for_ms: Math.round(for_ms) };
    }
    case "step": {
      const { kind, step, edge } = body;
      if (edge === "begin") return { kind, step: clean(step), edge };
      const took_ms = Math.round(body.took_ms * 1000) / 1000;
      return { kind, step: clean(step), edge, took_ms, outcome: clean(body.outcome) };
    }
    case "event":
      return { kind: body.kind, event: body.event, detail: detailOf(body.detail) };
  }
}

/** Bounded, and with no user and password in an address. */
export const clean = (text: string): string => text.replaceAll(/\/\/[^/@\s]*@/g, "//***@").slice(0, text_max);

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

function detailOf(detail: Detail): Detail {
  const kept = Object.entries(detail)
    .filter(([, value]) => isPlain(value))
    .slice(0, detail_max);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === "string" ? clean(value) : value]),
  );
}

function decisionOf(decision: Decision): object {
  if ("epoch" in decision) return { do: decision.do, epoch: decision.epoch };
  if ("bmcs" in decision) return { do: decision.do, bmcs: [...decision.bmcs] };
  if ("settled" in decision) {
    const { mine, theirs } = decision.settled;
    return { do: decision.do, settled: { mine, theirs } };
  }
  return { do: decision.do };
}

/** `satisfies` keeps these whole: a fact that is added and not written here does not compile. */
function factsOf(facts: Facts): object {
  const { me, peerName, peerPower, proof, fencePending, witness, firstStart, started, stopping } = facts;
  const { peerDown, accept, choose } = facts.word;
  const { running, leader, failedStarts, versions } = facts.etcd;
  return {
    me,
    peerName,
    self: holdingOf(facts.self),
    peer: peerOf(facts.peer),
    peerPower,
    proof,
    fencePending,
    word: { peerDown, accept, choose: choiceOf(choose) } satisfies Facts["word"],
    tags: tagsOf(facts.tags),
    witness,
    firstStart,
    etcd: { running, leader, failedStarts, ...versionsOf(versions) } satisfies Facts["etcd"],
    started,
    stopping,
  } satisfies Record<keyof Facts, unknown>;
}

function tagsOf({ mine, theirs, gone }: Facts["tags"]): object {
  const now = { mine: tagOf(mine), theirs: tagOf(theirs) } satisfies Record<
    Exclude<keyof Facts["tags"], "gone">,
    unknown
  >;
  return gone === undefined ? now : { ...now, gone: gone.map(({ epoch, owner }) => ({ epoch, owner })) };
}

function versionsOf(versions: Versions | undefined): Pick<Facts["etcd"], "versions"> {
  if (versions === undefined) return {};
  const { program, data, peer, cluster } = versions;
  return { versions: { program, data, peer, cluster } satisfies Record<keyof Versions, unknown> };
}

function holdingOf(holding: Holding): object {
  const { data, standing, soleVoter, removalInLog, tailLost, full, left, surrendered, others, echo } =
    holding;
  const { takeover, settled } = holding;
  return {
    data,
    standing,
    soleVoter,
    removalInLog,
    tailLost,
    lineage: lineageOf(holding.lineage),
    full,
    takeover: takeover === undefined ? undefined : { step: takeover.step, epoch: takeover.epoch },
    left,
    surrendered,
    settled: { mine: settled.mine, theirs: settled.theirs },
    others,
    echo,
  } satisfies Record<keyof Holding, unknown>;
}

const offerOf = ({ lineage, surrendered }: Offer): Offer => ({ lineage: lineageOf(lineage), surrendered });

const choiceOf = (choice: Choice | undefined): Choice | undefined =>
  choice === undefined
    ? undefined
    : ({
        of: choice.of,
        mine: offerOf(choice.mine),
        theirs: offerOf(choice.theirs),
        tags: choice.tags.map(({ epoch, owner }) => ({ epoch, owner })),
      } satisfies Record<keyof Choice, unknown>);

const lineageOf = (lineage: Lineage | undefined): Lineage | undefined =>
  lineage === undefined ? undefined : { epoch: lineage.epoch, owner: lineage.owner };

function peerOf(peer: Peer): object {
  if (peer.seen === "never") return { seen: peer.seen };
  const facts = peer.facts === undefined ? undefined : holdingOf(peer.facts);
  if (peer.seen === "before") return { seen: peer.seen, facts };
  const { seen, serving, running, stuck, leaving } = peer;
  return { seen, facts, serving, running, stuck, leaving } satisfies Record<keyof typeof peer, unknown>;
}

const tagOf = (tag: Tag): object =>
  tag.kind === "lineage" ? { kind: tag.kind, epoch: tag.epoch, owner: tag.owner } : { kind: tag.kind };
