import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { exit, fail } from "../../base/problem.ts";
import * as etcd from "../../machine/etcd/client.ts";
import { readIfThere } from "../../machine/files.ts";
import { type Places, whose } from "../hands/members.ts";
import { failureOf } from "../hands/outcome.ts";

/**
 * Two people who each take another machine away both see 1+1 before, and both machines would go. So whoever takes one away first
 * writes its name into etcd, in one transaction that fails if somebody else's stands there. As long as only the command itself can
 * make it so, the lease is a short one: a command that dies is in nobody's way. From then on (`hold`) the machine goes also without
 * it, and the pass binds until that has left, by its member's id, which etcd gives no second time; or has booted since; or until
 * the lease ends, which is longer than a leave takes.
 */
const pass_key = "duet/pass";
/** A look, and what is asked of Pacemaker, each with a deadline of its own. */
const look_s = 30;
const leave_s = 300;
const call_ms = 3_000;
const tries_max = 5;
const bootFile = "/proc/sys/kernel/random/boot_id";

/** So often a pass is renewed by who waits with it in hand. */
export const renew_ms = (look_s * 1000) / 3;

export interface Errand {
  /** As a person would type it: `reboot node2`. */
  readonly words: string;
  /** Who goes; null: nobody, and nobody may go meanwhile. */
  readonly machine: string | null;
  /** Goes on whoever has the pass, and where nobody can give it. */
  readonly force: boolean;
}

export interface Pass {
  /** Before the machine is asked to go: it goes also if this process ends. Throws DuetError where somebody else has it by now. */
  readonly hold: () => Promise<void>;
  /** Now and then, while nothing but this process makes it so. */
  readonly renew: () => Promise<void>;
  /** When nothing came of it, or it is over. One that can't be given back ends by itself. */
  readonly giveBack: () => Promise<void>;
}

const note = v.object({
  words: v.string(),
  machine: v.nullable(v.string()),
  /** Its member's id, empty where it is none; null: it binds as long as it is there. */
  member: v.nullable(v.string()),
  /** Whose it is: another one each time. */
  by: v.optional(v.string()),
  /** In which boot the machine was asked, where it was asked on the machine itself. */
  boot: v.optional(v.string()),
});
type Note = v.InferOutput<typeof note>;
const written = v.pipe(v.string(), v.parseJson(), note);

export interface Seat {
  readonly me: string;
  readonly places: Places;
  /** Of this boot. */
  readonly boot?: string | undefined;
}

/** Throws a DuetError where another machine goes by plan now, or no etcd takes the note. */
export async function takePass(from: Seat, errand: Errand): Promise<Pass> {
  const said: string[] = [];
  const seat = { ...from, boot: from.boot ?? (await readIfThere(bootFile))?.trim() };
  for (const side of ["self", "peer"] as const) {
    const answer = await takeAt(seat, side, errand);
    if (!answer.ok) said.push(answer.failure.said);
    else if ("giveBack" in answer.value) return answer.value;
    else return refuse(errand, answer.value);
  }
  // In maintenance nothing is taken away: it must be possible with no etcd at all.
  if (errand.force || errand.machine === null) return free;
  return noWrite(errand.machine, said.join("; "));
}

const free: Pass = { hold: async () => {}, renew: async () => {}, giveBack: async () => {} };

const noWrite = (machine: string, said: string): never =>
  fail(
    "DUET-E-PLANNED-DEGRADED",
    machine,
    `etcd takes no write, so another machine could go at the same time (${said})`,
    "see `duet status`, and wait for 1+1",
    exit.notHere,
  );

/**
 * What was seen before the pass may be over: it is looked at once more, and the pass given back where it may not be any more.
 * Afterwards the machine may be asked. `waits`: it goes only while this process is there.
 */
export async function lookAgain(pass: Pass, look: () => Promise<void>, waits = false): Promise<void> {
  try {
    await look();
    await (waits ? pass.renew() : pass.hold());
  } catch (error) {
    await pass.giveBack();
    throw error;
  }
}

function refuse({ words, machine }: Errand, { words: theirs }: Note): never {
  return fail(
    "DUET-E-PLANNED-ONE-AT-A-TIME",
    machine ?? words,
    `somebody asked for \`duet ${theirs}\` at the same time, and one goes after the other: nothing was changed`,
    `wait until that is over (\`duet status --watch\`), then again \`duet ${words}\``,
    exit.notHere,
  );
}

type Answer = etcd.Result<Pass | Note>;

async function takeAt(seat: Seat, side: "self" | "peer", errand: Errand): Promise<Answer> {
  try {
    return await takeThrough(await seat.places[side].endpoint(), seat, errand);
  } catch (error) {
    const { said } = failureOf(error).failure;
    return { ok: false, failure: { kind: "unreachable", reason: undefined, said } };
  }
}

async function takeThrough(at: etcd.Endpoint, seat: Seat, errand: Errand): Promise<Answer> {
  for (let tries = 0; tries < tries_max; tries++) {
    const seen = await etcd.range(at, { key: pass_key, read: "linearizable" }, call_ms);
    if (!seen.ok) return seen;
    const [held] = seen.value;
    // After the note: a member that it names and that is not listed now has left for good.
    const members = await etcd.memberList(at, call_ms);
    if (!members.ok) return members;
    const other = held === undefined ? undefined : noteIn(held.value);
    if (other !== undefined && !errand.force && binds(other, errand, seat, members.value)) return ok(other);

    const mine = noteOf(seat, errand, members.value);
    const lease = await put(at, mine, held?.revision ?? 0, look_s);
    if (!lease.ok) return lease;
    if (lease.value !== undefined) return ok(passOf(at, errand, mine, lease.value));
  }
  return refused(`others were quicker ${tries_max} times`);
}

/** The lease; undefined where somebody else was quicker. */
async function put(
  at: etcd.Endpoint,
  mine: Note,
  revision: number,
  ttl_s: number,
): Promise<etcd.Result<string | undefined>> {
  const lease = await etcd.grantLease(at, ttl_s, call_ms);
  if (!lease.ok) return lease;
  const entry = { key: pass_key, value: JSON.stringify(mine), lease: lease.value, revision };
  const won = await etcd.putIfUnchanged(at, entry, call_ms);
  if (won.ok && won.value) return lease;
  await etcd.revokeLease(at, lease.value, call_ms);
  return won.ok ? ok(undefined) : won;
}

function passOf(at: etcd.Endpoint, errand: Errand, mine: Note, first: string): Pass {
  let lease = first;
  /** True: it is this one's for so long. False: it is somebody else's, or nobody's. */
  const prolong = async (ttl_s: number): Promise<etcd.Result<boolean>> => {
    const seen = await etcd.range(at, { key: pass_key, read: "linearizable" }, call_ms);
    if (!seen.ok) return seen;
    const [held] = seen.value;
    if (held === undefined || noteIn(held.value).by !== mine.by) return ok(false);
    const next = await put(at, mine, held.revision, ttl_s);
    if (!next.ok || next.value === undefined) return next.ok ? ok(false) : next;
    const before = lease;
    lease = next.value;
    await etcd.revokeLease(at, before, call_ms);
    return ok(true);
  };
  return {
    hold: async () => {
      const held = await prolong(leave_s);
      if ((held.ok && held.value) || errand.force) return;
      const { machine, words } = errand;
      if (!held.ok) return noWrite(machine ?? words, held.failure.said);
      return fail(
        "DUET-E-PLANNED-ONE-AT-A-TIME",
        machine ?? words,
        `the look before it took too long, and somebody else may go now: nothing was changed`,
        `try again: \`duet ${words}\``,
        exit.notHere,
      );
    },
    renew: async () => {
      await prolong(look_s);
    },
    giveBack: async () => {
      await etcd.revokeLease(at, lease, call_ms);
    },
  };
}

const ok = <T>(value: T): etcd.Result<T> => ({ ok: true, value });
const refused = (said: string): Answer => ({
  ok: false,
  failure: { kind: "refused", reason: undefined, said },
});

/** One that can't be read is of another version of duet: it binds until its end. */
function noteIn(text: string): Note {
  const read = v.safeParse(written, text);
  return read.success ? read.output : { words: "…", machine: null, member: null };
}

const noteOf = (
  { me, places, boot }: Seat,
  { words, machine }: Errand,
  members: readonly etcd.ListedMember[],
): Note => {
  const side = machine === me ? "self" : "peer";
  const id = members.find((each) => whose(each, places) === side)?.id ?? "";
  return {
    words,
    machine,
    member: machine === null ? null : id,
    by: randomUUID(),
    ...(machine === me && boot !== undefined ? { boot } : {}),
  };
};

/** The same machine may be asked for twice: that takes nobody else away. One that has booted since has been away. */
function binds(
  held: Note,
  errand: Errand,
  { me, boot }: Seat,
  members: readonly etcd.ListedMember[],
): boolean {
  if (held.machine === errand.machine) return false;
  if (held.machine === me && held.boot !== undefined && held.boot !== boot) return false;
  return held.member === null || members.some(({ id }) => id === held.member);
}
