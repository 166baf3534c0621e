import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Effects } from "../../act/effects.ts";
import { fast, FakeWorld, logOf, pick } from "../../act/testing.ts";
import { sidesOf } from "../../decide/choice.ts";
import { empty, type Facts, type Holding } from "../../decide/facts.ts";
import type { Saying } from "../hands/attributes.ts";
import { MemoryFile } from "../hands/memory.ts";
import { FakeCorosync, FakePacemaker } from "../hands/testing.ts";
import { wordNow } from "../hands/word.ts";
import type { Desk } from "./desk.ts";

export const lineage = { epoch: 5, owner: "a" };
export const voter: Holding = { ...empty, data: true, standing: "voter", full: true, lineage };

/** Machine `a` of a pair, with an admin before it who says yes unless a test says otherwise. */
export class Office {
  readonly world = new FakeWorld();
  readonly corosync = new FakeCorosync();
  readonly pacemaker = new FakePacemaker();
  readonly folder = mkdtempSync(join(tmpdir(), "duet-admin-"));
  readonly saying: Saying;
  readonly recorded: string[] = [];
  readonly notes: string[] = [];
  readonly asked: string[] = [];
  shows = 0;
  agrees = true;
  maintained = false;
  /** What the rest of duet does once it was woken. */
  woken: () => void = () => undefined;
  changes: Partial<Facts> = {};

  constructor(self: Holding = voter) {
    const { world, folder, corosync } = this;
    writeFileSync(join(folder, "boot"), "boot-1\n");
    process.once("exit", () => rmSync(folder, { recursive: true }));
    const memory = new MemoryFile(join(folder, "run"), join(folder, "boot"));
    const pacemaker = this.pacemaker.of("a");
    this.saying = { me: "a", peerName: "b", peerId: 2, resource: "etcd", memory, corosync, pacemaker };
    world.state = pick(self);
    world.log = { ...logOf(self), committed: false };
    world.tags = { mine: lineage, theirs: lineage };
    world.peer = { ...world.peer, on: false, member: false };
    world.boot = { ...world.boot, heard: false, quorum: false };
    corosync.lose("1.d");
  }

  get effects(): Effects {
    const { world, saying } = this;
    return {
      ...world.effects,
      facts: async () => {
        const facts = { ...world.facts(), ...this.changes };
        const sides = world.peer.member ? sidesOf(facts) : undefined;
        return { ...facts, word: await wordNow(saying, this.corosync.now.ring, sides) };
      },
    };
  }

  get desk(): Desk {
    return {
      hands: {
        effects: this.effects,
        times: fast,
        saying: this.saying,
        notes: {
          set: (note) => {
            this.notes.push(note);
            if (note === "wake") this.woken();
          },
          forget: (what) => {
            this.notes.push(`forget ${what}`);
          },
        },
        recorder: {
          step: () => undefined,
          stepsEnd: () => undefined,
          admin: (who, said, shown, answer) => {
            const { outcome, code, why } = answer ?? { outcome: "accepted" };
            const became =
              outcome === "accepted" ? [] : [outcome, code, why].filter((each) => each !== undefined);
            const behind = became.length === 0 ? "" : ` (${became.join(", ")})`;
            this.recorded.push(`${who}: ${said}${behind}: ${shown}`);
          },
        },
      },
      who: "alice",
      dates: async () => ({ written_ms: 0, together_ms: undefined }),
      logEnds: () => ({ mine: { term: 2, index: 40 }, theirs: undefined }),
      show: () => {
        this.shows += 1;
      },
      agreed: async (question) => {
        this.asked.push(question);
        return this.agrees;
      },
      say: () => undefined,
      saying: () => undefined,
      isMaintained: async () => this.maintained,
      serves: async () => this.world.etcd.running,
      wait_ms: 5,
      pause: async () => undefined,
    };
  }

  /** etcd runs as soon as somebody is woken. */
  serveWhenWoken(): void {
    this.woken = () => {
      this.world.etcd = { ...this.world.etcd, running: true };
    };
  }
}
