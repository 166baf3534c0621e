import { now_ms } from "../../machine/clock.ts";
import { membership } from "../../machine/corosync.ts";
import { setMaintenance, setStandby } from "../../machine/modes.ts";
import { rebootHere } from "../../machine/systemd.ts";
import { orderedMachines } from "../../render/corosync.ts";
import type { Site } from "../../site/site.ts";
import { placesOf } from "../hands/reach.ts";
import type { Place as Here } from "../status/gather.ts";
import { viewsHere } from "../status/here.ts";
import { judge } from "../status/judge.ts";
import { type Seat, viewsFromSeat } from "../status/seat.ts";
import { valueOf } from "../status/report.ts";
import type { Status } from "../status/status.ts";
import type { Deed } from "./deed.ts";
import { inTurn } from "./in-turn.ts";
import { type Errand, renew_ms, takePass } from "./pass.ts";
import { doBySsh } from "./ssh.ts";
import { Asking, sayWish, withdrawWish } from "./wish.ts";

/** From where planned work is asked for. */
export interface Place {
  readonly site: Site;
  /** The machine that this is; undefined at an operator's computer. */
  readonly me: string | undefined;
  readonly look: () => Promise<Status>;
  /** Has it done, if nobody else goes. A reboot of another machine has begun there, or will within some seconds. */
  readonly act: (deed: Deed) => Promise<void>;
  /** Of who waits for it, again and again: what was asked for and not begun is still wanted. */
  readonly askOn: () => Promise<void>;
  /** Has it been away since `before`, in which it was there? To be asked again and again. */
  readonly wasAway: (name: string, before: Status) => Promise<boolean>;
  /** What was asked for and not begun is not wanted any more. */
  readonly giveUp: () => Promise<void>;
}

const call_ms = 10_000;

/** On a machine, for itself and for its peer. */
export function onMachine(here: Omit<Here, "power">): Place {
  const { site, me } = here;
  const look = async () => judge(await viewsHere({ ...here, power: false }));
  const asking = new Asking((said, ring) => sayWish(said, ring, call_ms));
  const act = async (deed: Deed) => {
    if (deed.do !== "reboot" || deed.machine === me) return await doHere(deed);
    const { ring } = await membership(call_ms);
    await asking.begin({ machine: deed.machine, force: deed.force }, ring);
  };
  const pass = (errand: Errand) => takePass({ me, places: placesOf(site, me) }, errand);
  let held: Awaited<ReturnType<typeof inTurn>>;
  let renewed_ms = now_ms();
  return {
    site,
    me,
    look,
    act: async (deed) => {
      const asksOn = deed.do === "reboot" && deed.machine !== me;
      held = await inTurn(deed, { pass, look, act: () => act(deed), asksOn });
      renewed_ms = now_ms();
    },
    askOn: async () => {
      await asking.goOn();
      if (now_ms() - renewed_ms < renew_ms) return;
      await held?.renew();
      renewed_ms = now_ms();
    },
    wasAway: async (name) => {
      const { members } = await membership(call_ms);
      return !members.includes(orderedMachines(site).findIndex((each) => each.name === name) + 1);
    },
    giveUp: async () => {
      asking.end();
      await withdrawWish(call_ms);
      await held?.giveBack();
    },
  };
}

/** This machine's part of a deed, at once. */
async function doHere(deed: Deed): Promise<void> {
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
    askOn: async () => {},
    giveUp: async () => {},
  };
}
