import type { Effects, Outcome } from "../act/effects.ts";
import type { Recorder } from "./recorder.ts";

export interface Known {
  /**
   * Makes one write through this machine's etcd. Called when it has become a cluster of one, beside what goes on: the time at which
   * writes are answered again is that of a write that was.
   */
  readonly firstWrite?: () => Promise<Outcome>;
  /** So long is a peer silent before Corosync takes it for lost: its token and consensus time-outs together. */
  readonly silent_ms?: number;
}

/**
 * The same effects, with a recorder beside them: each decision with its facts, each failure within its step, and the events
 * that can be seen from what is done. What they do and answer is not changed.
 */
export function wrap(effects: Effects, recorder: Recorder, known: Known = {}): Effects {
  const { silent_ms } = known;
  const seen = watcher(recorder);
  return {
    ...effects,
    facts: async () => {
      const begun_ms = recorder.now_ms;
      const facts = await effects.facts();
      recorder.look(facts, begun_ms);
      return facts;
    },
    decide: (question, facts) => {
      const verdict = effects.decide(question, facts);
      recorder.decision(question, facts, verdict);
      return verdict;
    },
    disk: disk(effects.disk, recorder, seen),
    unit: unit(effects.unit, recorder, seen),
    members: members(effects.members, recorder, seen, known),
    attributes: {
      ...effects.attributes,
      publish: (...given) => seen(effects.attributes.publish(...given)),
    },
    bmc: bmc(effects.bmc, recorder, seen),
    quorum: quorum(effects.quorum, recorder, seen, silent_ms),
  };
}

type Watcher = <T>(call: Promise<Outcome<T>>, then?: (value: T) => void) => Promise<Outcome<T>>;

const watcher =
  (recorder: Recorder): Watcher =>
  async (call, then) => {
    const outcome = await call;
    if (outcome.ok) then?.(outcome.value);
    else recorder.failed(outcome.failure);
    return outcome;
  };

const disk = (inner: Effects["disk"], recorder: Recorder, seen: Watcher): Effects["disk"] => ({
  ...inner,
  readState: () => seen(inner.readState(), (state) => recorder.stateRead(state)),
  writeState: (state) => seen(inner.writeState(state), () => recorder.stateWritten(state)),
  setStateAside: () => seen(inner.setStateAside()),
  inspect: () => seen(inner.inspect()),
  moveAside: (...given) => seen(inner.moveAside(...given)),
  syncLog: (...given) => seen(inner.syncLog(...given)),
  keepWal: (...given) => seen(inner.keepWal(...given)),
  commitLog: (...given) => seen(inner.commitLog(...given)),
  bumpOf: (...given) => seen(inner.bumpOf(...given)),
  stageBump: (...given) => seen(inner.stageBump(...given)),
  swapBump: (...given) => seen(inner.swapBump(...given)),
});

const unit = (inner: Effects["unit"], recorder: Recorder, seen: Watcher): Effects["unit"] => ({
  ...inner,
  start: (how, ...given) => seen(inner.start(how, ...given), () => recorder.event("etcd started", { how })),
  stop: (...given) => seen(inner.stop(...given), () => recorder.event("etcd stopped")),
  end: (...given) => seen(inner.end(...given), () => recorder.event("etcd stopped")),
  setForceFlag: () => seen(inner.setForceFlag()),
  dropForceFlag: () => seen(inner.dropForceFlag()),
  setMasked: (...given) => seen(inner.setMasked(...given)),
  callForFence: (...given) => seen(inner.callForFence(...given)),
});

function members(
  inner: Effects["members"],
  recorder: Recorder,
  seen: Watcher,
  { firstWrite }: Known,
): Effects["members"] {
  let alone = false;
  return {
    ...inner,
    list: (at, ...given) =>
      seen(inner.list(at, ...given), (list) => {
        if (at !== "self" || alone || !recorder.owed) return;
        alone = list.length > 0 && list.every(({ machine }) => machine === "self");
        if (!alone) return;
        recorder.event("serves alone");
        if (firstWrite !== undefined) void noteWrite(firstWrite, recorder);
      }),
    addLearner: (...given) => seen(inner.addLearner(...given), () => recorder.event("learner added")),
    promote: (...given) => seen(inner.promote(...given), () => recorder.event("learner caught up")),
    remove: (...given) => seen(inner.remove(...given)),
    elect: (...given) => seen(inner.elect(...given)),
    moveLeader: (...given) => seen(inner.moveLeader(...given)),
    writeMarker: (...given) => seen(inner.writeMarker(...given)),
  };
}

/** Nobody waits for it, and nothing comes of it if it fails: then the read before it tells when writes were answered at the latest. */
async function noteWrite(firstWrite: () => Promise<Outcome>, recorder: Recorder): Promise<void> {
  try {
    if ((await firstWrite()).ok) recorder.event("first write served");
  } catch {
    // It is only for the record.
  }
}

const bmc = (inner: Effects["bmc"], recorder: Recorder, seen: Watcher): Effects["bmc"] => ({
  ...inner,
  peerPower: (...given) => seen(inner.peerPower(...given)),
  commandOff: (at, ...given) =>
    seen(inner.commandOff(at, ...given), () => recorder.event("off commanded", { way: at })),
  commandOn: (...given) => seen(inner.commandOn(...given), () => recorder.event("peer powered on")),
  raiseTag: (...given) => seen(inner.raiseTag(...given)),
});

const quorum = (
  inner: Effects["quorum"],
  recorder: Recorder,
  seen: Watcher,
  silent_ms: number | undefined,
): Effects["quorum"] => ({
  ...inner,
  loss: () =>
    seen(inner.loss(), (loss) => {
      if (loss !== undefined) recorder.loss(loss, silent_ms);
    }),
  noteOff: (ring, wentOff) =>
    seen(inner.noteOff(ring, wentOff), () =>
      recorder.event("off confirmed", wentOff ? { ring, went_off: true } : { ring }),
    ),
  grant: (...given) => seen(inner.grant(...given)),
});
