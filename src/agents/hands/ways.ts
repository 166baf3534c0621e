import { type Bmc as Side, done, type Failure, failed, type Outcome } from "../../act/effects.ts";
import { now_ms } from "../../machine/clock.ts";
import { loadLogin } from "../../machine/logins.ts";
import { type Purpose, refusalsOf } from "../../machine/refusals.ts";
import { loadTrust } from "../../machine/trust.ts";
import { type KnownSystem, RedfishClient } from "../../redfish/client.ts";
import {
  type Failure as RedfishFailure,
  isWeighed,
  mayBeDone,
  problemOf,
  type Result,
} from "../../redfish/failure.ts";
import { OutletClient } from "../../redfish/pdu.ts";
import type { Service } from "../../redfish/transport.ts";
import type { Endpoint, Machine, Pdu, Site } from "../../site/site.ts";
import { ownSystems, type Systems } from "./systems.ts";

/** From where the two BMCs are called. */
export interface Seat {
  readonly site: Site;
  readonly me: string;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  /** What was found before; nothing is where none is given. */
  readonly systems?: Systems;
  /** Where the machine keeps what is to be remembered of its BMCs; nothing is where none is given. */
  readonly files?: BmcFiles;
}

/** Named as in src/base/paths.ts. */
export type BmcFiles = Readonly<
  Record<"run" | "assetTags" | "witness" | "witnessSeen" | "witnessSaid" | "tagTest", string>
>;

/** After so many refused logins one after the other a call waits for its time (src/machine/refusals.ts). */
export const waits = {
  /** Who only looks. */
  look: 1,
  /** A takeover's tag, and Pacemaker's proof of fencing. Refused once, they are tried at once: some BMCs refuse everybody while they boot. */
  need: 2,
  /**
   * A command to switch, refused so often itself: Pacemaker repeats a fence every few seconds and for ever, and a BMC that has locked
   * the user out fences for nobody.
   */
  command: 2,
} as const;

type Opened = Omit<Service, "deadline_ms">;

/**
 * Clients of this machine's BMC, its peer's, and the outlets that feed the peer. Each is made for one effect. A call has what the
 * site file says (`timeouts.bmc_call`): so a silent BMC costs no more, and a slow one is waited for call by call. And all of it
 * ends within the effect's time: a command that goes out late may be one outside of this machine's turn.
 */
export class Ways {
  readonly site: Site;
  readonly mine: Machine;
  readonly theirs: Machine;
  readonly #folder: string;
  readonly #systems: Systems;
  readonly files: BmcFiles | undefined;

  constructor({ site, me, folder, systems = ownSystems(), files }: Seat) {
    const mine = site.machines.find(({ name }) => name === me);
    const [theirs, ...more] = site.machines.filter(({ name }) => name !== me);
    if (mine === undefined || theirs === undefined || more.length > 0)
      throw new Error(`bug: the machines of this site are not ${me} and one other`);
    this.site = site;
    this.mine = mine;
    this.theirs = theirs;
    this.#folder = folder;
    this.#systems = systems;
    this.files = files;
  }

  /** One call to a BMC, or to an outlet. */
  get call_ms(): number {
    return this.site.timeouts.bmc_call_ms;
  }

  /**
   * Throws DuetError where credentials or certificates can't be read. Without `waitsAfter` each call is sent, whatever was refused before:
   * for a person.
   */
  async bmc(
    side: Side,
    deadline_ms: number,
    waitsAfter?: number,
    purpose: Purpose = "look",
  ): Promise<RedfishClient> {
    const end_ms = now_ms() + deadline_ms;
    const { bmc } = this[side];
    const opened = await this.#open(bmc, waitsAfter, purpose);
    const known = this.#systems.of(bmc.url);
    const service = {
      ...opened,
      ...(bmc.system === undefined ? {} : { system: bmc.system }),
      ...(known === undefined ? {} : { known }),
      found: (system: KnownSystem) => this.#systems.note(bmc.url, system),
    };
    return new RedfishClient(timed(service, end_ms, this.call_ms));
  }

  /** Sees that what the calls need can be read, without a call. Throws DuetError where it can't. */
  async check(): Promise<void> {
    const { bmc, pdus } = this.theirs;
    for (const each of [bmc, ...pdus]) await this.#open(each);
  }

  /** One of the peer's. */
  async outlet(
    pdu: Pdu,
    deadline_ms: number,
    waitsAfter?: number,
    purpose: Purpose = "look",
  ): Promise<OutletClient> {
    const end_ms = now_ms() + deadline_ms;
    const service = { ...(await this.#open(pdu, waitsAfter, purpose)), outlet: pdu.outlet };
    return new OutletClient(timed(service, end_ms, this.call_ms));
  }

  /** Anew for each effect: a password that was changed on the BMC and in the file counts at once. */
  async #open(
    { url, credentials, trust }: Endpoint,
    waitsAfter?: number,
    purpose: Purpose = "look",
  ): Promise<Opened> {
    const run = this.files?.run;
    const refusals = run === undefined ? undefined : refusalsOf(url, credentials, this.#folder, run, purpose);
    return {
      url,
      ...(await loadLogin(credentials, this.#folder, run)),
      trust: await loadTrust(trust, this.#folder),
      ...(refusals === undefined ? {} : { refusals }),
      ...(waitsAfter === undefined ? {} : { waitsAfter }),
    };
  }
}

/** A service that has for each further call what is left of the whole time, and no more than a call has. */
const timed = <T extends object>(
  fixed: T,
  end_ms: number,
  call_ms: number,
): T & Pick<Service, "deadline_ms"> => ({
  ...fixed,
  get deadline_ms() {
    return Math.max(1, Math.min(call_ms, Math.round(end_ms - now_ms())));
  },
});

const kinds: Readonly<Record<RedfishFailure["kind"], Failure["kind"]>> = {
  unreachable: "unreachable",
  deadline: "deadline",
  untrusted: "failed",
  login: "refused",
  "not-redfish": "failed",
  status: "failed",
  changed: "changed",
  "several-systems": "failed",
  unsupported: "refused",
};

/** `deadline_ms`: of the whole effect. A last call that had only what was left of it is not what was too slow. */
export function told(
  { call_ms }: Ways,
  failure: RedfishFailure,
  where: string,
  deadline_ms: number,
): ReturnType<typeof failed> {
  const cut = failure.kind === "deadline" && failure.deadline_ms < call_ms;
  const whole: RedfishFailure = cut ? { ...failure, deadline_ms } : failure;
  return failed(kinds[failure.kind], `${where}: ${problemOf(whole, where).what}`);
}

/**
 * What became of a command: `deadline` where it went out and was not answered, and only there. An outlet takes Off whatever state it
 * is in: one that refuses it is not believed when it reads Off.
 */
export function commanded(
  ways: Ways,
  taken: Result<unknown>,
  where: string,
  deadline_ms: number,
  by: "BMC" | "outlet",
): Outcome {
  if (taken.ok) return done;
  const { failure } = taken;
  const outcome = told(ways, failure, where, deadline_ms);
  if (mayBeDone(failure)) return failed("deadline", outcome.failure.said);
  if (by === "BMC" && isWeighed(failure)) return failed("weighed", outcome.failure.said);
  return notSent(outcome);
}

/** Of a call before the command, or of a command that did not go out. */
export const notSent = ({ failure: { kind, said } }: ReturnType<typeof failed>): ReturnType<typeof failed> =>
  failed(kind === "deadline" ? "unreachable" : kind, said);
