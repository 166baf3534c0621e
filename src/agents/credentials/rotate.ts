import { DuetError, exit, fail, type Problem } from "../../base/problem.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import { type Account, changePassword, findAccount } from "../../redfish/accounts.ts";
import { type Failure, isRefusal, problemOf, type Result } from "../../redfish/failure.ts";
import type { Credentials } from "../../site/site.ts";
import { exchange } from "./care.ts";
import {
  clientWith,
  current,
  dropWaiting,
  type Keeper,
  machineNamed,
  noteRotation,
  peerOf,
  rotationOf,
  same,
  serviceWith,
  stage,
  switchTo,
} from "./keeper.ts";
import { refuseUnlessMaySwitch } from "./rights.ts";
import { parseWord } from "./word.ts";

export interface Rotating extends Keeper {
  /** `off`: proven so, or it left in order, and this machine has quorum. `unknown`: it may serve, and need the old ones. */
  readonly peer: () => Promise<"there" | "off" | "unknown">;
  /** Two full voters: only then is a tag written, with the value that is there. */
  readonly isWhole: () => Promise<boolean>;
  readonly step: <T>(name: string, work: (say: (detail: string) => void) => Promise<T>) => Promise<T>;
  /** Its agent looks each ten seconds or so. */
  readonly patience_ms?: number;
  readonly pauses_ms?: readonly number[];
}

export interface Wanted {
  readonly machine: string;
  readonly credentials: Credentials;
  /** duet itself changes the password at the BMC. */
  readonly change: boolean;
}

/** Of the peer: it has proven them too; it holds both and has not; it is away, and gets them when it is back. */
export type PeerHas = "proven" | "both" | "later";

export interface Rotated {
  readonly machine: string;
  /** The machine that this ran on: it has proven the new ones and holds no others. */
  readonly here: string;
  readonly changed: boolean;
  readonly peer: { readonly name: string; readonly has: PeerHas };
}

const patience_ms_default = 60_000;
/** Some BMCs take a moment to know a new password. Each try that is refused counts as a wrong one there. */
const pauses_ms_default: readonly number[] = [0, 1_000, 2_000, 4_000, 8_000, 15_000];

/**
 * Gives both machines new credentials for a BMC, so that at each moment each of them holds some that the BMC takes:
 *
 * 1. The new ones are tested. Without `change` the BMC must take them already; with it, it must take the old ones.
 * 2. With `change` they are put beside the old ones on both machines, and each tries both from then on. Only when the peer has said
 *    that it has them is the password changed at the BMC: in that moment the old one is dead, and the new one is in place.
 *    A peer that is away gets them when it is back in the cluster; until then this BMC is closed to it, and the status says so.
 * 3. Each machine drops the old ones when the BMC has taken the new ones from there, not before.
 *
 * What fails before the password is changed is taken back on both. What fails afterwards leaves both credentials where they are:
 * whoever needs the BMC uses those that it takes, and the machines go on by themselves (`careForCredentials`).
 */
export async function rotate(at: Rotating, wanted: Wanted): Promise<Rotated> {
  const { machine, credentials } = wanted;
  const old = await current(at, machine);
  refuseInput(wanted, old);
  if (wanted.change && (await at.peer()) === "unknown") refuseAlone(at);
  const account = await at.step(`test the new credentials at the BMC of ${machine}`, (say) =>
    tested(at, wanted, old, say),
  );
  const generation = await nextGeneration(at, machine);
  if (account !== undefined) await changeIt(at, wanted, old, account, generation);
  else {
    await stage(at, machine, credentials);
    await noteRotation(at, machine, { generation, handOver: true });
  }
  const proven = await at.step(`use them on ${at.me}`, () => proveAndSwitch(at, wanted, old, generation));
  const has = await at.step(`use them on ${peerOf(at)}`, async (say) => {
    const reached = await waitForPeer(at, machine, proven, "proven");
    say({ proven: "proven there", both: "not proven there yet", later: "away: later" }[reached]);
    return reached;
  });
  return { machine, here: at.me, changed: account !== undefined, peer: { name: peerOf(at), has } };
}

function refuseInput({ machine, credentials, change }: Wanted, old: Credentials): void {
  if (same(credentials, old))
    fail(
      "DUET-E-CREDENTIALS-SAME",
      `bmc of ${machine}`,
      "these are the credentials that this machine has: nothing was changed",
      "give it the new ones",
      exit.badInput,
    );
  if (change && credentials.username !== old.username)
    fail(
      "DUET-E-CREDENTIALS-USER",
      `bmc of ${machine}`,
      "`--change` gives the user that duet logs in as another password, and these are of another user",
      "make the user on the BMC first, then leave `--change` out",
      exit.badInput,
    );
}

/** With the old password dead, a peer that serves and was not told could not fence any more. */
const refuseAlone = (at: Rotating): never =>
  fail(
    "DUET-E-CREDENTIALS-ALONE",
    at.me,
    `is not in the cluster, or has no quorum: ${peerOf(at)} may serve, and could not fence with the old password; nothing was changed`,
    `run it on ${peerOf(at)}, or where the site file is`,
    exit.notHere,
  );

/** The account whose password is to be changed; undefined: the BMC takes the new ones as they are. */
async function tested(
  at: Rotating,
  { machine, credentials, change }: Wanted,
  old: Credentials,
  say: (detail: string) => void,
): Promise<Account | undefined> {
  const target = machineNamed(at, machine);
  const { url } = target.bmc;
  const client = await clientWith(at, target, credentials);
  const taken = await client.powerState();
  if (taken.ok) {
    say(change ? "it takes them already" : "it takes them");
    if (credentials.username === old.username) return undefined;
    if (!(await at.isWhole()))
      refused(
        url,
        "whether another user may switch is seen only at 1+1; keep the user, or wait for both machines",
      );
    await refuseUnlessMaySwitch(at, target, client, credentials);
    say("it takes them, and their user may change things");
    return undefined;
  }
  if (!change || taken.failure.kind !== "login") throwProblem(taken.failure, url);
  const service = await serviceWith(at, target, old);
  const account = await findAccount(service);
  if (!account.ok) throwProblem(account.failure, url);
  const { min, max } = account.value.characters;
  const { length } = credentials.password.reveal();
  if (length < min || length > max)
    refused(url, `a password there has ${min} to ${max} characters, and this one has ${length}`);
  say("it takes the old ones");
  return account.value;
}

function throwProblem(failure: Failure, url: string): never {
  throw new DuetError([problemOf(failure, url)]);
}

const refused = (url: string, what: string): never =>
  fail("DUET-E-CREDENTIALS-REFUSED", url, `${what}; nothing was changed`, "see the user on the BMC's pages");

/** Later than what either machine knows, also where a clock was set back; and never one that the other may choose in this moment. */
async function nextGeneration(at: Rotating, machine: string): Promise<number> {
  const mine = (await rotationOf(at, machine))?.generation ?? 0;
  const word = parseWord(await at.heard());
  const least = Math.max(Date.now(), mine + 1, (word.have[machine]?.generation ?? 0) + 1);
  const own = at.me < peerOf(at) ? 0 : 1;
  return least + ((least + own) % 2);
}

async function changeIt(
  at: Rotating,
  { machine, credentials }: Wanted,
  old: Credentials,
  account: Account,
  generation: number,
): Promise<void> {
  const target = machineNamed(at, machine);
  try {
    await at.step(`put them beside the old ones on ${at.me} and ${peerOf(at)}`, async (say) => {
      await stage(at, machine, credentials);
      await noteRotation(at, machine, { generation, handOver: true });
      const has = await waitForPeer(at, machine, generation, "both");
      say(has === "later" ? `${peerOf(at)} is away` : "");
    });
    await at.step(`change the password at the BMC of ${machine}`, async (say) => {
      const answer = await changePassword(await serviceWith(at, target, old), account, credentials);
      if (answer.ok) return;
      const problem = problemOf(answer.failure, target.bmc.url);
      // It may be at work on it, and done a moment after the old ones were taken for the last time.
      if (!isRefusal(answer.failure))
        return say(`${problem.what}; it may do it all the same, and both are kept`);
      const before = await (await clientWith(at, target, old)).powerState();
      if (before.ok) throw new DuetError([changeProblem(problem)]);
      const isRefused = answer.failure.kind === "login" && before.failure.kind === "login";
      if (isRefused) busy(machine, peerOf(at));
      say("it is seen now what it took");
    });
  } catch (error) {
    // Whoever came later has theirs taken by both machines: nothing of this one's is left then.
    const isBusy = error instanceof DuetError && error.problems.some(({ code }) => code === busyCode);
    if (!isBusy) await withdraw(at, machine, generation);
    throw error;
  }
}

const busyCode = "DUET-E-CREDENTIALS-BUSY";

const changeProblem = ({ where, what }: Problem): Problem => ({
  code: "DUET-E-CREDENTIALS-CHANGE",
  where,
  what: `the BMC did not change the password: ${what}; the old one is in use`,
  fix: "see which passwords it allows and what its user may do, or change it there and run this without `--change`",
});

/** The old ones, as the newest: whoever has the new ones beside them drops those. Unless somebody else has changed them meanwhile. */
async function withdraw(at: Rotating, machine: string, generation: number): Promise<void> {
  if ((await rotationOf(at, machine))?.generation !== generation) return;
  await dropWaiting(at, machine);
  await noteRotation(at, machine, { generation: await nextGeneration(at, machine), handOver: true });
  try {
    await exchange(at);
  } catch (error) {
    // Why all this is given up is the news; the agent tells the peer at its next look.
    if (!(error instanceof DuetError)) throw error;
  }
}

/** The generation under which the peer gets them: another, where the peer has withdrawn or changed something meanwhile. */
async function proveAndSwitch(
  at: Rotating,
  { machine, credentials }: Wanted,
  old: Credentials,
  generation: number,
): Promise<number> {
  const target = machineNamed(at, machine);
  const client = await clientWith(at, target, credentials);
  let last: Result<string> | undefined;
  for (const pause_ms of at.pauses_ms ?? pauses_ms_default) {
    await sleep(pause_ms);
    last = await client.powerState();
    if (!last.ok) {
      // BMCs count wrong passwords one after the other, and lock a user out: a right one between them.
      await (await clientWith(at, target, old)).powerState();
      continue;
    }
    // What is proven is what is written: somebody may have put others there meanwhile.
    await stage(at, machine, credentials);
    await switchTo(at, machine);
    if ((await rotationOf(at, machine))?.generation === generation) return generation;
    const later = await nextGeneration(at, machine);
    await noteRotation(at, machine, { generation: later, handOver: true });
    return later;
  }
  const { url } = target.bmc;
  const before = await (await clientWith(at, target, old)).powerState();
  const why = last?.ok === false ? problemOf(last.failure, url).what : "";
  return fail(
    "DUET-E-CREDENTIALS-UNPROVEN",
    url,
    `the BMC does not take the new credentials: ${why}; ${before.ok ? "it takes the old ones" : "nor does it take the old ones"}. Both are kept, and those that it takes are used`,
    "see the BMC, then run this again; a machine that finds the new ones taken uses them by itself",
  );
}

const busy = (machine: string, peer: string): never =>
  fail(
    busyCode,
    `bmc of ${machine}`,
    `somebody changes the same credentials on ${peer} in this moment`,
    "wait for that to end, see `duet status`, and run this again if it is still needed",
  );

/** Until the peer has said so, or is away. Where it has to hold both and does not in time, nothing goes on. */
async function waitForPeer(
  at: Rotating,
  machine: string,
  generation: number,
  until: "both" | "proven",
): Promise<PeerHas> {
  const { patience_ms = patience_ms_default } = at;
  const end_ms = now_ms() + patience_ms;
  for (;;) {
    await exchange(at);
    const has = parseWord(await at.heard()).have[machine];
    if (has !== undefined && has.generation > generation) return busy(machine, peerOf(at));
    const holds = has?.generation === generation;
    if (holds && !has.staged) return "proven";
    if (holds && until === "both") return "both";
    const peer = await at.peer();
    if (peer === "off") return "later";
    if (now_ms() >= end_ms) {
      if (until === "both") break;
      return peer === "there" ? "both" : "later";
    }
    await sleep(Math.min(500, patience_ms / 10));
  }
  return fail(
    "DUET-E-CREDENTIALS-PEER",
    peerOf(at),
    `it is not known to be off and has not taken the new credentials within ${patience_ms / 1000} s; nothing was changed`,
    `see \`journalctl -u duet-work\` on ${peerOf(at)}, and that it is not on standby; then run this again`,
  );
}
