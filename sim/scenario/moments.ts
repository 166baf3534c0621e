import type { Moment } from "../../src/scenario/slots.ts";
import type { Seen } from "../../src/scenario/world.ts";
import { done, type SimStage } from "./stage.ts";

interface Armed {
  readonly moment: Moment;
  readonly act: () => Promise<Seen>;
}

const said: Readonly<Record<Moment, string>> = {
  promote: "the promote entry",
  marker: "the marker write",
  removal: "the removal",
  "tag-write": "the tag write",
  intent: "the intent",
  "commit-record": "the commit record",
  "off-command": "the Off command",
  "quorum-grant": "the quorum grant",
};

/**
 * Moments are seen in what is sent and written, not in what an agent says that it does. What is armed for one is done before the
 * next event: what was sent is on its way, and nothing that follows from it has happened.
 */
export class Moments {
  readonly #stage: SimStage;
  #armed: readonly Armed[] = [];

  constructor(stage: SimStage) {
    this.#stage = stage;
    this.#listen();
  }

  readonly arm = async (moment: Moment, act: () => Promise<Seen>): Promise<Seen> => {
    this.#armed = [...this.#armed, { moment, act }];
    return this.#stage.verdict(done());
  };

  readonly unmet = (): readonly string[] => this.#armed.map(({ moment }) => said[moment]);

  #waits(moment: Moment): boolean {
    return this.#armed.some((armed) => armed.moment === moment);
  }

  #comes(moment: Moment): void {
    const due = this.#armed.filter((armed) => armed.moment === moment);
    if (due.length === 0) return;
    this.#armed = this.#armed.filter((armed) => armed.moment !== moment);
    const stage = this.#stage;
    stage.world.kernel.tasks.start(async () => {
      stage.inMoment = true;
      for (const { act } of due) {
        const { ok, seen } = await act();
        if (!ok) stage.trouble = `at ${said[moment]}: ${seen}`;
      }
      stage.inMoment = false;
    });
  }

  #listen(): void {
    const { world } = this.#stage;
    world.links[0].tap = (_, __, message) => {
      if (this.#armed.length > 0) this.#peerMessage(message);
      return "pass";
    };
    world.management.tap = (from, __, message) => {
      if (from < 2 && isKind(message, "tag")) this.#comes("tag-write");
      if (from < 2 && isKind(message, "reset") && message.type === "ForceOff") this.#comes("off-command");
      return "pass";
    };
    const waiting = [false, false];
    for (const { id } of world.machines)
      world.corosync.onView(id, (view) => {
        if (waiting[id] === true && !view.waiting && view.members.length === 1) this.#comes("quorum-grant");
        waiting[id] = view.waiting;
      });
    const lengths = [0, 0];
    world.kernel.afterEvent.push(() => {
      if (this.#armed.length > 0) this.#disks(lengths);
    });
  }

  #peerMessage(message: unknown): void {
    const change = lastChange(message);
    if (change === "promote") this.#comes("promote");
    if (change === "remove") this.#comes("removal");
    const write = proposedWrite(message);
    if (write !== undefined && !this.#stage.load.own.has(write)) this.#comes("marker");
  }

  #disks(lengths: number[]): void {
    const { world } = this.#stage;
    for (const { id } of world.machines) {
      const { takeover } = this.#stage.node(id).state.value;
      if (takeover?.step === "intent" && this.#waits("intent")) this.#comes("intent");
      const unit = world.unit(id);
      const records = unit.folder.value?.wal.records.length ?? 0;
      // Nobody else writes into the log of an etcd that does not run.
      if (takeover?.step === "served" && !unit.active && records > (lengths[id] ?? 0))
        this.#comes("commit-record");
      lengths[id] = records;
    }
  }
}

const isKind = <K extends string>(message: unknown, kind: K): message is { kind: K; type?: unknown } =>
  typeof message === "object" && message !== null && "kind" in message && message.kind === kind;

/** The change of membership that is the newest entry of this message: older ones come with every new copy. */
function lastChange(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("entries" in message)) return undefined;
  if (!Array.isArray(message.entries)) return undefined;
  const last: unknown = message.entries.at(-1);
  if (typeof last !== "object" || last === null || !("change" in last)) return undefined;
  const { change } = last;
  return typeof change === "object" && change !== null && "kind" in change ? change.kind : undefined;
}

function proposedWrite(message: unknown): number | undefined {
  if (typeof message !== "object" || message === null || !("proposal" in message)) return undefined;
  const { proposal } = message;
  if (!isKind(proposal, "put") || !("value" in proposal)) return undefined;
  return typeof proposal.value === "number" ? proposal.value : undefined;
}
