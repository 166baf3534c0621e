import type { Holding } from "../decide/facts.ts";
import { done, type Effects, failed, type Loss, type OffSwitch, success } from "./effects.ts";
import { fencePeer } from "./fence.ts";
import { runSteps } from "./steps.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";
import { voter } from "./testing-pair.ts";

export const times = { ...fast, turn_ms: 10_000 };

/** A machine that has just lost its peer, with a clock that pauses move, and every command noted with its time. */
export class Race extends FakeWorld {
  now_ms = 0;
  loss: Loss | undefined = { ring: "1", since_ms: 0, wentOff: false };
  readonly commands: string[] = [];
  readonly deaf = new Set<OffSwitch>();

  constructor(turn: 0 | 1 | 2, self: Holding = voter) {
    super();
    this.state = { ...pick(self), turn };
    this.log = { ...logOf(self), committed: false };
    this.etcd = { ...this.etcd, running: true };
    this.peer = { ...this.peer, member: false, holding: voter };
  }

  get racing(): Effects {
    const { effects } = this;
    return {
      ...effects,
      pause: async (ms) => {
        this.now_ms += ms;
      },
      quorum: {
        ...effects.quorum,
        loss: async () =>
          success(
            this.loss?.since_ms === undefined
              ? this.loss
              : { ...this.loss, since_ms: this.loss.since_ms + this.now_ms },
          ),
      },
      bmc: {
        ...effects.bmc,
        offWays: [["BMC"], ["outlet"]],
        commandOff: async (way) => {
          this.commands.push(`${way} at ${this.now_ms}`);
          if (this.deaf.has(way)) return failed("deadline", "no answer");
          this.peer = { ...this.peer, on: false };
          return done;
        },
        commandOn: async () => {
          this.commands.push("on");
          return done;
        },
      },
    };
  }

  async fence() {
    return await runSteps(fencePeer(this.racing, times));
  }
}
