/** What one look at this machine's own API server shows. */
export type Answer =
  | "ready"
  /** Nobody listens, or it has hung up. */
  | "gone"
  /** Something holds the connection, and does not move. */
  | "silent"
  /** It says that it is not ready, for a reason of its own. */
  | "unready"
  /** Whatever it says, nobody reaches it here: the interface of its address has no carrier. */
  | "unplugged"
  /** It lives, and etcd does not answer it. Two voters stop together: so the peer's API server stands still, too. */
  | "etcd";

/** How the API server has done. Times are of a clock that never jumps. */
export interface Readiness {
  /** It is ready, and has been for long enough. Undefined: it was not looked at for long enough yet, and what was said before still holds. */
  readonly ready: boolean | undefined;
  /** Since it was ready it ended, or did not move for a while: it has no connection that a move of the address would cut. */
  readonly lost: boolean;
  /** It was lost, is back, and has not been ready for long enough. */
  readonly probation: boolean;
  /** When it was last put on probation. */
  readonly tried_ms: number;
  /** For so long has every look shown the same: an API server that is ready, or one that is not. */
  readonly run: { readonly good: boolean; readonly since_ms: number } | undefined;
  /** When it last became ready. */
  readonly risen_ms: number;
  /** How often it fell without having been ready for long in between. */
  readonly falls: number;
}

export const nothing_seen: Readiness = {
  ready: undefined,
  lost: false,
  probation: false,
  tried_ms: Number.NEGATIVE_INFINITY,
  run: undefined,
  risen_ms: 0,
  falls: 0,
};

/** What the virtual IP goes by, the best first. */
export type Standing = "ready" | "probation" | "doubtful" | "lost";

export const standingOf = ({ ready, probation, lost }: Readiness): Standing | undefined => {
  if (ready === undefined) return undefined;
  if (ready) return "ready";
  if (probation) return "probation";
  return lost ? "lost" : "doubtful";
};

/** How long a machine counts as lost by Corosync, at most: its token and consensus time-outs together. */
export interface Detection {
  readonly detection_ms: number;
}

/** A look that shows a restart in between, a new connection perhaps, is looked at again. */
const confirm_ms = 100;
const unready_ms = 300;
/** After a lost peer was to be seen. By then it is known whether there is anybody to hand the address to. */
const known_extra_ms = 1_000;

/** So long is the API server not ready before it counts as that. Who is silent has been silent for a while when a look says so. */
export const patience_ms = (answer: Exclude<Answer, "ready">, { detection_ms }: Detection): number =>
  ({
    gone: confirm_ms,
    silent: 0,
    unready: unready_ms,
    // The same cable may be the way to the peer.
    unplugged: detection_ms + known_extra_ms,
    etcd: detection_ms + known_extra_ms,
  })[answer];

const steady_ms = 300;
const hold_ms_max = 32_000;
/** Ready for so long, what it did before is forgotten. */
export const calm_ms = 300_000;

/**
 * So long is it ready before it counts as that. The first fall costs nothing more: it may be all that ever happens. From the second on
 * each doubles it: an API server that comes and goes must not take the address, and the connections on it, along each time. Until then
 * it is on probation, which is enough where the other one is lost.
 */
export const hold_ms = (falls: number): number =>
  falls < 2 ? steady_ms : Math.min(hold_ms_max, 1_000 * 2 ** Math.min(falls - 1, 10));

/** Who does not move for so long is no better than one that has ended. */
export const lost_ms = 5_000;
/**
 * A new probation begins only so long after the last one. A kubelet starts what ends again and again no sooner, so it keeps no API server
 * from it; but whatever the looks show, what is said has a bound.
 */
export const trial_ms = 10_000;

/** The next of it, after one more look. */
export function afterLook(was: Readiness, answer: Answer, now_ms: number, detection: Detection): Readiness {
  const good = answer === "ready";
  const run = was.run?.good === good ? was.run : { good, since_ms: now_ms };
  const lasted_ms = now_ms - run.since_ms;
  const seen = { ...was, run };
  if (answer === "ready") {
    if (was.ready === true) return seen;
    if (lasted_ms >= hold_ms(was.falls))
      return { ...seen, ready: true, lost: false, probation: false, risen_ms: now_ms };
    const tries = was.lost && !was.probation && lasted_ms >= steady_ms && now_ms - was.tried_ms >= trial_ms;
    return tries ? { ...seen, probation: true, tried_ms: now_ms } : seen;
  }
  if (lasted_ms < patience_ms(answer, detection)) return seen;
  const lost = was.lost || answer === "gone" || (answer === "silent" && lasted_ms >= lost_ms);
  const fallen = { ...seen, ready: false, lost, probation: false };
  if (was.ready !== true) return fallen;
  const before = run.since_ms - was.risen_ms >= calm_ms ? 0 : was.falls;
  return { ...fallen, falls: before + 1 };
}

const peace_ms = 200;
const doubt_ms = 100;
const asks_ms = 1_000;

/** The last look fits to what the API server counts as. */
const isAtPeace = ({ ready, run }: Readiness): boolean => run !== undefined && run.good === ready;

/** When to look again. A look is cheap, and the connection itself tells when the API server ends. */
export const rest_ms = (seen: Readiness): number => (isAtPeace(seen) ? peace_ms : doubt_ms);

/** Is it asked for its /readyz, and not only whether it lives? */
export const asksReadyz = (seen: Readiness, sinceAsked_ms: number): boolean =>
  !isAtPeace(seen) || sinceAsked_ms >= asks_ms;
