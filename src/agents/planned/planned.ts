import { DuetError, exit, fail } from "../../base/problem.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import { type Progress, seconds } from "../../machine/progress.ts";
import type { Status } from "../status/status.ts";
import type { Deed } from "./deed.ts";
import { calls, isAtRest, isAway, isBack, isStandby, isWhole, surprise } from "./goal.ts";
import { inMaintenance, refusal } from "./may.ts";
import type { Place } from "./place.ts";

/** A wish is heard at the other machine's next look, each 10 s, and then it leaves: 25 s at the most, and its services stop. */
const gone_ms_max = 180_000;
const told_ms_max = 30_000;
const again_ms = 500;

export interface Done {
  /** One line for a person. */
  readonly sentence: string;
  readonly status: Status;
}

/** Has planned work done, and waits until it is. Throws DuetError where it may not be, or is not in time. */
export async function planned(
  place: Place,
  deed: Deed,
  progress: Progress,
  within_ms: number,
): Promise<Done> {
  const before = await progress.step("see how the site is", () => place.look());
  const work = new Work(place, progress, before, within_ms);
  switch (deed.do) {
    case "reboot":
      return await work.reboot(deed);
    case "standby":
      return await work.standby(deed);
    case "unstandby":
      return await work.unstandby(deed);
    case "maintenance":
      return await work.maintenance(deed);
  }
}

type OfMachine = Extract<Deed, { readonly machine: string }>;

class Work {
  readonly #place: Place;
  readonly #progress: Progress;
  readonly #before: Status;
  readonly #within_ms: number;

  constructor(place: Place, progress: Progress, before: Status, within_ms: number) {
    this.#place = place;
    this.#progress = progress;
    this.#before = before;
    this.#within_ms = within_ms;
  }

  async reboot(deed: OfMachine): Promise<Done> {
    const { machine } = deed;
    const before = this.#before;
    this.#mayGo(machine, "reboot", deed.force);
    const wasStandby = isStandby(before, machine);
    this.#mayBeHeard(machine);
    await this.#progress.step(`ask ${machine} to reboot`, () => this.#place.act(deed));
    if (this.#place.me === machine)
      return {
        sentence: `${machine} reboots now; its peer's \`duet status\` tells when it is back`,
        status: before,
      };
    await this.#untilAway(machine);
    const after = await this.#until(
      wasStandby ? `${machine} is back, on standby` : `${machine} is back, and it is 1+1`,
      machine,
      this.#within_ms,
      (status) => isBack(status, machine, wasStandby),
    );
    this.#asPlanned(machine, after);
    return { sentence: `${machine} has rebooted: ${after.sentence}`, status: after };
  }

  async standby(deed: OfMachine): Promise<Done> {
    const { machine } = deed;
    this.#mayGo(machine, "standby", deed.force);
    await this.#progress.step(`put ${machine} on standby`, () => this.#place.act(deed));
    if (isAway(this.#before, machine))
      return {
        sentence: `${machine} is not in the cluster; when it comes back it is on standby`,
        status: this.#before,
      };
    const after = await this.#until(`nothing runs on ${machine}`, machine, this.#within_ms, (status) =>
      isAtRest(status, machine),
    );
    const peer = this.#place.site.machines.find(({ name }) => name !== machine)?.name;
    this.#asPlanned(machine, after, peer);
    return { sentence: `${machine} is on standby: ${after.sentence}`, status: after };
  }

  async unstandby(deed: OfMachine): Promise<Done> {
    const { machine } = deed;
    if (this.#before.maintenance) throw new DuetError([inMaintenance(machine)], exit.notHere);
    await this.#progress.step(`take ${machine} off standby`, () => this.#place.act(deed));
    const after = await this.#until(`${machine} joins, and it is 1+1`, machine, this.#within_ms, isWhole);
    return { sentence: `${machine} is off standby: ${after.sentence}`, status: after };
  }

  async maintenance(deed: Extract<Deed, { readonly do: "maintenance" }>): Promise<Done> {
    const word = deed.on ? "on" : "off";
    await this.#progress.step(`maintenance ${word}`, () => this.#place.act(deed));
    const after = await this.#until(
      `Pacemaker ${deed.on ? "lets go of" : "watches"} everything`,
      this.#place.site.name,
      told_ms_max,
      ({ maintenance }) => maintenance === deed.on,
    );
    return { sentence: deed.on ? after.sentence : `maintenance is off: ${after.sentence}`, status: after };
  }

  #mayGo(machine: string, deed: "reboot" | "standby", force: boolean): void {
    const problem = refusal(this.#before, machine, deed, force);
    if (problem !== undefined) throw new DuetError([problem], exit.notHere);
  }

  /** From one machine to the other: the other's agent has to run. */
  #mayBeHeard(machine: string): void {
    const { me } = this.#place;
    if (me === undefined || me === machine) return;
    const standby = isStandby(this.#before, machine);
    if (!standby && !isAway(this.#before, machine)) return;
    fail(
      "DUET-E-PLANNED-UNHEARD",
      machine,
      standby
        ? "is on standby: nothing of duet's runs there that could hear of it"
        : "is not in the cluster: it hears nothing from here",
      standby
        ? `an ordinary \`reboot\` on ${machine} is the same, or this command where the site file is`
        : "see to it on its console, or by its BMC",
      exit.notHere,
    );
  }

  #asPlanned(machine: string, after: Status, serves?: string): void {
    const found = surprise(this.#before, after, serves);
    if (found !== undefined)
      fail(
        "DUET-E-PLANNED-OTHERWISE",
        machine,
        `it is done, and did not go by plan: ${found.what}`,
        found.fix,
      );
  }

  async #untilAway(machine: string): Promise<void> {
    // Nothing can be taken back of what was asked over ssh; of what was wished, what was not heard yet.
    const wait_ms = this.#place.me === undefined ? this.#within_ms : gone_ms_max;
    const end_ms = now_ms() + wait_ms;
    await this.#progress.step(`${machine} leaves and goes down`, async () => {
      while (!(await this.#place.wasAway(machine, this.#before))) {
        if (now_ms() >= end_ms) {
          await this.#place.giveUp();
          fail(
            "DUET-E-PLANNED-UNHEARD",
            machine,
            `has not gone down within ${seconds(wait_ms)}, and is not asked to any more`,
            `see \`journalctl -u duet-work -u pacemaker\` on ${machine}`,
          );
        }
        await this.#place.askOn();
        await sleep(again_ms);
      }
    });
  }

  async #until(
    what: string,
    where: string,
    deadline_ms: number,
    isSo: (status: Status) => boolean,
  ): Promise<Status> {
    const end_ms = now_ms() + deadline_ms;
    let told: string | undefined;
    return await this.#progress.step(what, async (say) => {
      for (;;) {
        const status = await this.#place.look();
        const call = calls(status, where);
        // Once, and while there is time to do it: who waits need not look elsewhere for it.
        if (call !== undefined && call !== told) this.#progress.say(`\n  ! ${where}: ${call}`);
        told = call ?? told;
        if (isSo(status)) {
          say("");
          return status;
        }
        say(status.sentence);
        if (now_ms() >= end_ms)
          fail(
            "DUET-E-PLANNED-LATE",
            where,
            `not so within ${seconds(deadline_ms)}: ${what}. ${wrongOf(status)}`,
            "it goes on by itself as far as it can: `duet status --watch` shows how",
          );
        await sleep(again_ms);
      }
    });
  }
}

const wrongOf = ({ wrong: [first], sentence }: Status): string =>
  first === undefined ? sentence : `${first.where}: ${first.what}`;
