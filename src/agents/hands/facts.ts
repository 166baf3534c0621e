import type { LogFacts, Outcome, OwnFacts, Published, State } from "../../act/effects.ts";
import { holdingOf, picture, type Readings, remember, rememberTags } from "../../act/picture.ts";
import { isSame } from "../../act/publish.ts";
import type { Sides } from "../../decide/choice.ts";
import { empty, type Etcd, type Facts, type Versions, type Word } from "../../decide/facts.ts";
import { state_empty } from "../../facts/state.ts";
import * as pacemaker from "../../machine/attributes.ts";
import { sinceBoot_ms } from "../../machine/clock.ts";
import { type View, viewOf } from "../../machine/pacemaker-view.ts";
import { factsAttribute, type Saying, saidIn } from "./attributes.ts";
import { readBmcs } from "./bmc.ts";
import { falseOffIn } from "./false-off.ts";
import type { Memory } from "./memory.ts";
import { failureOf } from "./outcome.ts";
import { membershipNow, noteMembership, type Seen } from "./quorum.ts";
import { hurry_ms } from "./times.ts";
import type { Ways } from "./ways.ts";

/** Where the parts of a picture come from. */
export interface Sources {
  readonly ways: Ways;
  readonly saying: Saying;
  readonly readState: () => Promise<Outcome<State>>;
  readonly inspect: () => Promise<Outcome<LogFacts>>;
  readonly etcd: () => Promise<Etcd>;
  /** By a linearizable read at its own etcd: it is the only member, and votes. */
  readonly isSole: (deadline_ms: number) => Promise<boolean>;
  /** By a linearizable read at its etcd. */
  readonly peerServes: (deadline_ms: number) => Promise<boolean>;
  /** What a start would run. */
  readonly program: (deadline_ms: number) => Promise<string | undefined>;
  /** Of the serving peer's etcd. */
  readonly peerVersions: (deadline_ms: number) => Promise<Pick<Versions, "peer" | "cluster"> | undefined>;
  /** An admin's word is for the membership in which it was said; the peer is asked for one only where it could matter. Undefined: it is not here. */
  readonly word: (ring: string, sides: Sides | undefined) => Promise<Word>;
  readonly firstStart: () => Promise<boolean>;
  readonly witness: () => Promise<Facts["witness"]>;
  /** Replaced by tests. */
  readonly view?: typeof viewOf;
}

/** A lone machine has time for a slow BMC: the root, the Systems and the System. */
const patient_calls = 3;
const call_ms = 3_000;

export async function gatherFacts(sources: Sources): Promise<Facts> {
  const readings = await gatherReadings(sources);
  const facts = picture(readings);
  // What stands in a BMC now may be written over by the next look.
  if (rememberTags(readings.remembered, facts) !== readings.remembered)
    await orUndefined(() => sources.saying.memory.change((was) => withTags(was, facts)));
  return facts;
}

function withTags(was: Memory, facts: Facts): Memory {
  const remembered = rememberTags(was.remembered, facts);
  return remembered === was.remembered ? was : { ...was, remembered };
}

/**
 * What takes long is asked first, and at once; what can change in the meantime is read after it. Duet's own file comes last: what
 * this machine says of itself is an answer to what it heard before (picture.ts).
 */
export async function gatherReadings(sources: Sources): Promise<Readings> {
  const { ways, saying } = sources;
  const { me, peerName, resource } = saying;
  const first = await membershipOf(saying);
  const patience_ms = patient_calls * ways.call_ms;
  const [bmcs, peerServes, etcd, view, program] = await Promise.all([
    readBmcs(ways, isHurried(first, saying) ? hurry_ms : patience_ms),
    first?.peer === true ? sources.peerServes(call_ms) : false,
    sources.etcd(),
    orUndefined(() => (sources.view ?? viewOf)(resource, call_ms)),
    orUndefined(() => sources.program(call_ms)),
  ]);
  const theirs =
    peerServes && !etcd.running ? await orUndefined(() => sources.peerVersions(call_ms)) : undefined;
  const { seen, said, memory } = await listen(saying);
  const own = await holdings(sources, etcd);
  return {
    me,
    peerName,
    ...own,
    membership: { ring: seen?.ring ?? no_ring, peer: seen?.peer === true },
    said,
    remembered: memory.remembered,
    peerServes,
    ...bmcs,
    word: await sources.word(
      seen?.ring ?? no_ring,
      seen?.peer === true
        ? {
            me,
            peerName,
            self: holdingOf({ ...own, said, remembered: memory.remembered }),
            theirs: said?.holding,
          }
        : undefined,
    ),
    witness: await sources.witness(),
    firstStart: await sources.firstStart(),
    etcd: isSettled(etcd, own, seen)
      ? etcd
      : {
          ...etcd,
          versions: { program, data: own.log.version, peer: theirs?.peer, cluster: theirs?.cluster },
        },
    ...believed(view, me, peerName, seen?.peer === true),
  };
}

/** It runs beside its peer, and nothing will start it anew: every look would keep what no rule asks for. */
const isSettled = (
  { running, leader }: Etcd,
  { state }: Pick<Readings, "state">,
  seen: Seen | undefined,
): boolean => running && leader && state.full && state.takeover === undefined && seen?.peer === true;

/** Of a peer that was lost before it said a word in this boot, both tags are all that is known: they are waited for. */
const isHurried = (seen: Seen | undefined, { memory }: Saying): boolean =>
  seen?.quorate === true && (seen.peer || memory.read().remembered.heard !== undefined);

/** Without a BMC and without the peer's etcd. */
export async function ownFacts(sources: Sources): Promise<OwnFacts> {
  const { said, memory } = await listen(sources.saying);
  const etcd = await sources.etcd();
  const own = await holdings(sources, etcd);
  return { self: holdingOf({ ...own, said, remembered: memory.remembered }), etcd };
}

/** A name that no membership has: nothing was proven or said in it. */
const no_ring = "none";

/** Undefined where Corosync does not tell. Whoever acts asks for the membership again, and goes no further then. */
const membershipOf = (saying: Saying): Promise<Seen | undefined> => orUndefined(() => membershipNow(saying));

async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    failureOf(error);
    return undefined;
  }
}

interface Heard {
  readonly seen: Seen | undefined;
  readonly said: Published | undefined;
  readonly memory: Memory;
}

/** The membership, what the peer said in it, and what is remembered with both noted. */
export async function listen(saying: Saying): Promise<Heard> {
  const { pacemaker: door = pacemaker, memory, peerName } = saying;
  const text = await orUndefined(() => door.attributeOf(peerName, factsAttribute, call_ms));
  const seen = await membershipOf(saying);
  if (seen === undefined) return { seen, said: undefined, memory: memory.read() };
  const said = seen.peer ? saidIn(text, seen.ring) : undefined;
  const found: Found = { falseOffIn: undefined };
  const note = noteBoth(seen, said, sinceBoot_ms(), found);
  const kept = await orUndefined(() => memory.change(note));
  // Of several agents the one that noted it tells. Where it can't be noted it is not told: it would be at each look.
  if (kept !== undefined && found.falseOffIn !== undefined) saying.falseOff?.(found.falseOffIn);
  // A memory that can't be written still holds for this picture.
  return { seen, said, memory: kept ?? note(memory.read()) };
}

/** What the last call of a change found: it is the one that was written. */
interface Found {
  falseOffIn: string | undefined;
}

const noteBoth =
  (seen: Seen, said: Published | undefined, at_ms: number, found: Found) =>
  (was: Memory): Memory => {
    const noted = noteMembership(seen, at_ms)(was);
    const { heard } = noted.remembered;
    // Another agent has seen a newer membership: what it heard there is newer too.
    const late = noted.ring?.ring !== seen.ring;
    found.falseOffIn = late ? undefined : falseOffIn(noted, said);
    if (found.falseOffIn !== undefined) {
      const remembered = remember(noted.remembered, seen, said);
      return { ...noted, remembered, falseOff_ms: Date.now() };
    }
    if (late || said === undefined || (heard !== undefined && isSame(heard, said))) return noted;
    return { ...noted, remembered: remember(noted.remembered, seen, said) };
  };

/** Of a file or a log that can't be read nothing is assumed: standing unknown is never eligible. */
async function holdings(sources: Sources, etcd: Etcd): Promise<Pick<Readings, "state" | "log">> {
  const state = await sources.readState();
  const log = await sources.inspect();
  const unknown: LogFacts = { ...logOf(empty), data: true, standing: "unknown" };
  if (!state.ok) return { state: state_empty, log: unknown };
  return { state: state.value, log: log.ok ? await upToDate(sources, log.value, etcd) : unknown };
}

/**
 * etcd writes down that an entry is committed with the next one that it syncs. Where nobody writes, the removal of its peer stays
 * the last entry, and by the log alone this machine would not be the only voter until somebody does. etcd itself knows.
 */
async function upToDate({ isSole }: Sources, log: LogFacts, { running, leader }: Etcd): Promise<LogFacts> {
  const isBehind = log.standing === "voter" && !log.soleVoter && log.others === "" && running && leader;
  return isBehind && (await orUndefined(() => isSole(call_ms))) === true ? { ...log, soleVoter: true } : log;
}

const logOf = ({ data, standing, soleVoter, removalInLog, tailLost, others }: LogFacts): LogFacts => ({
  data,
  standing,
  soleVoter,
  removalInLog,
  tailLost,
  others,
});

type Believed = Pick<Readings, "fencePending" | "started" | "stopping" | "peerStuck">;

/**
 * Where Pacemaker does not answer, or has not heard of the loss yet, it is believed to have a fence before it: to wait for it is
 * no harm, to fence beside it is for nothing.
 */
function believed(view: View | undefined, me: string, peerName: string, member: boolean): Believed {
  const own = view?.nodes.get(me);
  const theirs = view?.nodes.get(peerName);
  return {
    fencePending: view === undefined || theirs?.unclean === true || (theirs?.online === true && !member),
    started: view?.activeOn.has(me) === true,
    stopping: stoppingOf(own),
    peerStuck: view?.stopFailedOn.has(peerName) === true,
  };
}

function stoppingOf(
  own: { readonly shutdown: boolean; readonly standby: boolean } | undefined,
): Readings["stopping"] {
  if (own === undefined) return "unknown";
  if (own.shutdown) return "shutdown";
  return own.standby ? "standby" : "restart";
}
