import type { Published, State } from "../../src/act/effects.ts";
import { nothing_remembered, type Remembered, remember } from "../../src/act/picture.ts";
import type { OwedOn } from "../../src/act/power-on.ts";
import { isSame } from "../../src/act/publish.ts";
import type { End } from "../../src/act/steps.ts";
import { type Times, times_default } from "../../src/act/times.ts";
import { turnFor_ms } from "../../src/base/turn.ts";
import type { SaidByBoth } from "../../src/agents/hands/witness-agreed.ts";
import { decide, type Verdict } from "../../src/decide/decide.ts";
import type { Facts, Word } from "../../src/decide/facts.ts";
import type { TableName } from "../../src/decide/rules.ts";
import type { Cell } from "../disk.ts";
import type { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { World } from "../world.ts";
import { factsAttribute, membershipOf, saidByPeer } from "./facts.ts";
import { nameOf } from "./names.ts";
import type { Site } from "./site.ts";
import { noState } from "./state.ts";
import { nothing_seen, type TagsSeen } from "./witness.ts";

const ruleLine = traceKind("duet.rule", (machine, rule, sentence) => `${machine}: ${rule}: ${sentence}`);
const stepLine = traceKind("duet.step", (machine, step) => `${machine}: ${step}`);

const around_fence_ms = 3_500;

/** An admin's word is for what he saw: in another membership it says nothing. */
export interface Spoken {
  readonly word: Word;
  readonly ring: string;
}

/** What duet on one machine keeps in memory, or under /run: gone with the boot. */
interface Memory {
  remembered: Remembered;
  /** The membership of now, and when it was formed. */
  ring: number | undefined;
  ring_us: number;
  /** When this machine last fell silent, and when it went on. */
  hung_us: number;
  resumed_us: number;
  force: boolean;
  /** Pacemaker has started the resource, and promoted it. */
  started: boolean;
  promoted: boolean;
  leaving: boolean;
  failedStarts: number;
  /** etcd was to be given up, and can't be ended; or the disk took no word of that. */
  held: boolean;
  unwritten: boolean;
  /** Pacemaker's stop failed: it starts and stops nothing here before somebody says that this is over. */
  stopFailed: boolean;
  /** A machine of steps is at work: there is never a second one. */
  busy: boolean;
  worker: Life | undefined;
  again: boolean;
  /** What is published is published once more, changed or not. */
  publish: boolean;
  spoken: Spoken | undefined;
  /** The peer's On that was commanded and not taken: how often, and when last. */
  ons: number;
  on_us: number;
  /** What was decided last and could not be done, and how often that was tried. Only people are told of it. */
  unfinished: { readonly why: string; readonly tries: number } | undefined;
}

const nothing = (): Memory => ({
  remembered: nothing_remembered,
  ring: undefined,
  ring_us: 0,
  hung_us: -1e12,
  resumed_us: -1e12,
  force: false,
  started: false,
  promoted: false,
  leaving: false,
  failedStarts: 0,
  held: false,
  unwritten: false,
  stopFailed: false,
  busy: false,
  worker: undefined,
  again: false,
  publish: false,
  spoken: undefined,
  ons: 0,
  on_us: 0,
  unfinished: undefined,
});

/** As a machine's status has it: the tags have their say where it is graver than how the machine starts. */
const isAlarm = ({ decision }: Verdict): boolean => decision.do === "stop-and-alarm";

/** Duet on one simulated machine: its file, its memory, and the rules it goes by. */
export class Node {
  readonly world: World;
  readonly site: Site;
  readonly id: number;
  readonly state: Cell<State>;
  /** What it has seen in the BMCs, beside duet's file. */
  readonly seen: Cell<TagsSeen>;
  /** What both have said of the witness; undefined: what they said when they were set up. */
  readonly told: Cell<SaidByBoth | undefined>;
  readonly times: Times;
  memory = nothing();
  /** What it waits for, by its last decision; put into words only for those who ask. */
  #said: string | Verdict = "";
  /** What the peer has said in the membership of now. */
  #heard: Published | undefined;
  /** Told when the peer says something that it did not say before. */
  readonly onNews: (() => void)[] = [];
  /** How it starts, or why not, or why it stops, by its last decision on that. */
  verdict: Verdict | undefined;
  readonly owedOn: OwedOn = {
    tries: () => ({ count: this.memory.ons, ago_ms: (this.world.kernel.now_us - this.memory.on_us) / 1000 }),
    count: () => {
      this.memory.ons += 1;
      this.memory.on_us = this.world.kernel.now_us;
    },
    forget: () => {
      this.memory.ons = 0;
    },
  };

  constructor(world: World, site: Site, id: number) {
    this.world = world;
    this.site = site;
    this.id = id;
    this.state = world.machine(id).disk.cell(noState);
    this.seen = world.machine(id).disk.cell(nothing_seen);
    this.told = world.machine(id).disk.cell(undefined);
    this.times = {
      ...times_default,
      tries_max: 20,
      turn_ms: turnFor_ms(world.bmcTimes.off_us / 1000 + around_fence_ms),
      ...site.plant.times,
    };
    const note = () => {
      const said = saidByPeer(this);
      this.memory.remembered = remember(this.memory.remembered, membershipOf(this), said);
      const isNew = said !== undefined && (this.#heard === undefined || !isSame(this.#heard, said));
      this.#heard = said;
      if (isNew) for (const listen of this.onNews) listen();
    };
    world.corosync.onView(id, ({ ring, members }) => {
      // Quorum that is granted forms no new membership: Corosync's file of it keeps its date.
      if (this.memory.ring !== ring) this.memory.ring_us = world.kernel.now_us;
      this.memory.ring = ring;
      // Together again: the next loss is a new one.
      if (members.includes(this.peer)) this.memory.resumed_us = -1e12;
      note();
    });
    world.attributes.onChange(id, (owner, name) => {
      if (owner !== id && name === factsAttribute) note();
    });
    world.machine(id).tenants.push({
      dead: () => {
        this.memory = nothing();
        this.#heard = undefined;
        this.verdict = undefined;
      },
      hung: () => {
        this.memory.hung_us = world.kernel.now_us;
      },
      resumed: () => {
        this.memory.resumed_us = world.kernel.now_us;
      },
    });
  }

  get peer(): number {
    return 1 - this.id;
  }

  get name(): string {
    return nameOf(this.id);
  }

  /** Should the peer win a race? Leadership is followed slowly: only what a look at peace sees. */
  get peerFirst(): boolean {
    const { preferred } = this.site;
    if (preferred !== "leader") return preferred !== this.name;
    const member = this.world.unit(this.id).running;
    return member !== undefined && member.raft.lead !== 0 && member.raft.lead !== member.id;
  }

  get said(): string {
    return typeof this.#said === "string" ? this.#said : this.#said.sentence;
  }

  set said(text: string) {
    this.#said = text;
  }

  decide(question: TableName, facts: Facts): Verdict {
    const { kernel } = this.world;
    const verdict = decide(question, facts, this.site.plant.tables);
    for (const rule of verdict.path) this.site.fired.set(rule, (this.site.fired.get(rule) ?? 0) + 1);
    if (kernel.trace.on && verdict.sentence !== this.said)
      kernel.note(ruleLine, this.name, verdict.rule, verdict.sentence);
    this.#said = verdict;
    if (question === "start" || question === "etcd" || isAlarm(verdict)) this.verdict = verdict;
    return verdict;
  }

  /** A start of etcd; one that can't be ended counts like one that does not start. */
  noteStart(worked: boolean): void {
    this.memory.failedStarts = worked ? 0 : this.memory.failedStarts + 1;
  }

  noteEnd(end: End): void {
    const tries = (this.memory.unfinished?.tries ?? 0) + 1;
    this.memory.unfinished = end.done ? undefined : { why: end.why, tries };
  }

  step(name: string): void {
    this.world.kernel.note(stepLine, this.name, name);
    for (const listen of this.site.stepped) listen(this.id, name);
    for (const spring of this.site.traps) spring(this.id, name);
  }
}
