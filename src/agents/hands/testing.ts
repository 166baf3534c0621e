import type { Published } from "../../act/effects.ts";
import { empty } from "../../decide/facts.ts";
import type { Membership } from "../../machine/corosync.ts";
import type { Pacemaker } from "./attributes.ts";
import type { Corosync } from "./quorum.ts";

/** For tests: a Corosync whose membership they set, with the other one as node 2. */
export class FakeCorosync implements Corosync {
  now: Membership = { ring: "1.9", nodeId: 1, members: [1, 2], quorate: true };
  waits = false;
  /** It takes the wish for quorum, and does nothing. */
  deaf = false;
  formed_ms: number | undefined = Date.now();
  readonly membership = async (): Promise<Membership> => this.now;
  readonly formedAt_ms = async (): Promise<number | undefined> => this.formed_ms;
  readonly standstills = async () => [];
  readonly detection = async () => ({ token_ms: 1_500, consensus_ms: 500 });
  readonly waitsForAll = async (): Promise<boolean> => this.waits;
  readonly cancelWaitForAll = async (): Promise<void> => {
    if (this.deaf) return;
    this.waits = false;
    this.now = { ...this.now, quorate: true };
  };

  lose(ring: string): void {
    this.now = { ...this.now, ring, members: [1] };
    this.formed_ms = Date.now();
  }

  join(ring: string): void {
    this.now = { ...this.now, ring, members: [1, 2] };
  }
}

/** For tests: the attributes of all machines. */
export class FakePacemaker {
  readonly values = new Map<string, string>();
  readonly scores: string[] = [];

  of(me: string): Pacemaker {
    return {
      setAttribute: async (name, value) => {
        this.values.set(`${me} ${name}`, value);
      },
      attributeOf: async (machine, name) => this.values.get(`${machine} ${name}`),
      setPromotionScore: async (resource, score) => {
        this.scores.push(`${me} ${score}`);
        const key = `${me} master-${resource}`;
        if (score === undefined) this.values.delete(key);
        else this.values.set(key, String(score));
      },
    };
  }
}

/** What a machine says that holds nothing and runs nothing. */
export const nothing_said: Published = {
  holding: empty,
  serving: false,
  running: false,
  leaving: false,
  isNew: false,
  witness: undefined,
  boot: undefined,
  turn: undefined,
  logEnd: undefined,
};
