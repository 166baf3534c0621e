import { DuetError } from "../../base/problem.ts";
import type { Note } from "../hands/notes.ts";
import { noteKilledStop } from "./ended-stop.ts";
import { ocf, type Status } from "./ocf.ts";

/** What the actions need of their machine. */
export interface EtcdSeat {
  readonly notes: {
    readonly has: (note: Note) => boolean;
    readonly set: (note: Note) => void;
    readonly forget: (what: "down") => void;
    readonly drop: (...notes: readonly Note[]) => void;
  };
  /** Why no etcd can run here, whatever is asked: the machine was not set up, or has no etcd. */
  readonly lacks: () => Promise<{ readonly status: Status; readonly why: string } | undefined>;
  /** A process of etcd's unit is there, and its port open; or it is down since a moment ago and somebody is seeing to it. */
  readonly isCaredFor: () => Promise<boolean>;
  /** The peer is a member in this moment. */
  readonly hasPeer: () => Promise<boolean>;
  /** The disk that duet's own file is on takes a write now. */
  readonly takesWrites: () => Promise<boolean>;
  /** Leaves first where that is allowed, stops in any case. */
  readonly stop: () => Promise<Status>;
  readonly checkSite: () => Promise<void>;
  readonly complain: (line: string) => void;
}

export const actions = ["start", "stop", "promote", "demote", "monitor", "notify", "validate-all"] as const;

/**
 * ocf:duet:etcd. Actions note and wake; what takes long is the one-shot's, which Pacemaker can't kill and which waits for no
 * action on the peer. Stop is the exception: it may end only when etcd has.
 */
export async function etcdAction(action: string, seat: EtcdSeat, interval_ms = 0): Promise<Status> {
  try {
    return await act(action, seat, interval_ms);
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    const [why = ""] = error.problems.map(({ code, where, what }) => `${code}: ${where}: ${what}`);
    return complain(seat, why, action === "validate-all" ? ocf.notConfigured : ocf.failed);
  }
}

async function act(action: string, seat: EtcdSeat, interval_ms: number): Promise<Status> {
  const { notes } = seat;
  switch (action) {
    case "start": {
      const lack = await seat.lacks();
      if (lack !== undefined) return complain(seat, lack.why, lack.status);
      // Of a stop that was killed.
      notes.drop("leaving", "promoted");
      notes.forget("down");
      return note(seat, "started");
    }
    case "promote":
      if (!notes.has("started")) return complain(seat, "it is not started", ocf.notRunning);
      return note(seat, "promoted");
    case "demote":
      if (!notes.has("started")) return ocf.notRunning;
      notes.drop("promoted");
      return ocf.success;
    case "notify":
      // Only news: what it says proves nothing.
      notes.set("wake");
      return ocf.success;
    case "monitor":
      return await monitor(seat, interval_ms);
    case "stop":
      return await seat.stop();
    case "validate-all":
      return await validate(seat);
    default:
      return complain(seat, `there is no action ${action}: one of ${actions.join(", ")}`, ocf.unimplemented);
  }
}

function note({ notes }: EtcdSeat, what: Note): Status {
  notes.set(what);
  notes.set("wake");
  return ocf.success;
}

function complain(seat: EtcdSeat, why: string, status: Status): Status {
  seat.complain(`ocf:duet:etcd: ${why}\n`);
  return status;
}

const hindrances = {
  held: "etcd was told to end, and its process stays: something holds it, most likely its disk",
  unwritten: "etcd does not run, and the disk takes no word of that: it is read-only or broken",
} as const;

/**
 * What keeps this machine from giving its data up. With nobody there to fence it, Pacemaker would only block what the one-shot tries
 * again by itself.
 */
export async function hindrance(
  seat: Pick<EtcdSeat, "notes" | "hasPeer" | "takesWrites">,
): Promise<string | undefined> {
  const { notes } = seat;
  // The disk is asked now: the note may be old.
  if (notes.has("unwritten") && (await seat.takesWrites())) notes.drop("unwritten");
  const because = (["held", "unwritten"] as const).find((each) => notes.has(each));
  return because !== undefined && (await seat.hasPeer()) ? hindrances[because] : undefined;
}

/**
 * Whether Pacemaker's wish still stands; etcd itself is looked at by the one-shot, which restarts it in place. A promoted one
 * that does not run, and that nobody restarts or that has been down for a minute, is told as degraded: shown to people, and no reason to stop anything.
 */
async function monitor(seat: EtcdSeat, interval_ms: number): Promise<Status> {
  const { notes } = seat;
  // Pacemaker runs one action at a time: no stop runs now.
  noteKilledStop(notes);
  if (!notes.has("started")) return ocf.notRunning;
  const promoted = notes.has("promoted");
  if (interval_ms === 0) return promoted ? ocf.promoted : ocf.success;
  const well = !promoted || (await seat.isCaredFor());
  // A word may have been lost, or overtaken by an older one.
  notes.set("publish");
  notes.set("wake");
  // It can't even give up: Pacemaker stops it now, and a stop that fails is answered by a fence.
  const hindered = await hindrance(seat);
  if (hindered !== undefined) return complain(seat, hindered, ocf.failed);
  if (!promoted) return ocf.success;
  return well ? ocf.promoted : ocf.promotedDegraded;
}

async function validate(seat: EtcdSeat): Promise<Status> {
  const lack = await seat.lacks();
  if (lack !== undefined) return complain(seat, lack.why, lack.status);
  await seat.checkSite();
  return ocf.success;
}
