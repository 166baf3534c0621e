import type { Site } from "../../site/site.ts";
import { membership } from "../../machine/corosync.ts";
import { setMaintenance, setStandby } from "../../machine/modes.ts";
import { rebootHere } from "../../machine/systemd.ts";
import { orderedMachines } from "../../render/corosync.ts";
import type { Place as Here } from "../status/gather.ts";
import { viewsHere } from "../status/here.ts";
import { judge } from "../status/judge.ts";
import { type Seat, viewsFromSeat } from "../status/seat.ts";
import { valueOf } from "../status/report.ts";
import type { Status } from "../status/status.ts";
import type { Deed } from "./deed.ts";
import { doBySsh } from "./ssh.ts";
import { sayWish, withdrawWish } from "./wish.ts";

/** From where planned work is asked for. */
export interface Place {
  readonly site: Site;
  /** The machine that this is; undefined at an operator's computer. */
  readonly me: string | undefined;
  readonly look: () => Promise<Status>;
  /** Has it done. A reboot of another machine has begun there, or will within some seconds. */
  readonly act: (deed: Deed) => Promise<void>;
  /** Has it been away since `before`, in which it was there? To be asked again and again. */
  readonly wasAway: (name: string, before: Status) => Promise<boolean>;
  /** What was asked for and not begun is not wanted any more. */
  readonly giveUp: () => Promise<void>;
}

const call_ms = 10_000;

/** On a machine, for itself and for its peer. */
export function onMachine(here: Omit<Here, "power">): Place {
  const { site, me } = here;
  return {
    site,
    me,
    look: async () => judge(await viewsHere({ ...here, power: false })),
    act: async (deed) => {
      if (deed.do !== "reboot" || deed.machine === me) return await doHere(deed);
      const { ring } = await membership(call_ms);
      await sayWish({ machine: deed.machine, force: deed.force }, ring, call_ms);
    },
    wasAway: async (name) => {
      const { members } = await membership(call_ms);
      return !members.includes(orderedMachines(site).findIndex((each) => each.name === name) + 1);
    },
    giveUp: () => withdrawWish(call_ms),
  };
}

/** This machine's part of a deed, at once. */
export async function doHere(deed: Deed): Promise<void> {
  switch (deed.do) {
    case "reboot":
      return await rebootHere(call_ms);
    case "standby":
    case "unstandby":
      return await setStandby(deed.machine, deed.do === "standby", call_ms);
    case "maintenance":
      return await setMaintenance(deed.on, call_ms);
  }
}

/** From an operator's computer, over ssh as `duet status` and `duet check`. */
export function atSeat(seat: Omit<Seat, "power">): Place {
  const { site, ssh_config } = seat;
  const look = async () => judge(await viewsFromSeat({ ...seat, power: false }));
  return {
    site,
    me: undefined,
    look,
    act: (deed) => doBySsh(site, deed, ssh_config),
    wasAway: async (name, before) => {
      const of = ({ machines }: Status) => machines.find((each) => each.name === name);
      const [was, is] = [of(before), of(await look())];
      // It answers from another boot, or its peer does not see it.
      return (
        ((is?.boot ?? null) !== null && is?.boot !== was?.boot) || valueOf(is?.corosync) === "not a member"
      );
    },
    giveUp: async () => {},
  };
}
