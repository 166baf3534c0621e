import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Body, Detail, EventName, Told } from "./entry.ts";
import { memoryInProcess } from "./memory.ts";
import { parseRecord } from "./read.ts";
import { Recorder } from "./recorder.ts";
import { firstLine } from "./encode.ts";
import type { Stamp } from "./entry.ts";

/** For tests: a recorder that writes to memory, with a clock that is set by hand. */
export class TestRecorder {
  readonly lines: string[] = [];
  now_ms = 1_000;
  boot = "boot-1";
  /** Which of the lines were to be synced. */
  readonly synced: string[] = [];
  readonly memory = memoryInProcess();

  /** As another process of the same machine has it. */
  recorder(): Recorder {
    const append = (line: string, sync: boolean) => {
      this.lines.push(line);
      if (sync) this.synced.push(line);
    };
    return new Recorder({ append }, () => stampAt(this.now_ms, { boot: this.boot }), this.memory);
  }

  get entries(): readonly Told[] {
    const { entries, cut, damage } = parseRecord(firstLine("a") + this.lines.join(""), "memory");
    if (cut.length + damage.length > 0) throw new Error("the recorder wrote what can't be read");
    return entries;
  }

  /** `event`, `step begin …`, `question: rule`. */
  get story(): readonly string[] {
    return this.entries.map((entry) => {
      if (entry.kind === "event") return entry.event;
      if (entry.kind === "step") return `${entry.edge} ${entry.step}`;
      return `${entry.kind} ${entry.question}: ${entry.rule}`;
    });
  }
}

const base_ms = Date.UTC(2026, 0, 1);

export const stampAt = (mono_ms: number, more: Partial<Stamp> = {}): Stamp => ({
  at: new Date(base_ms + mono_ms).toISOString(),
  mono_ms,
  boot: "boot-1",
  machine: "a",
  duet: "0.0.1",
  by: "agent",
  pid: 1,
  ...more,
});

/** An event of this machine at this time. */
export const eventAt = (
  machine: string,
  mono_ms: number,
  event: EventName,
  detail: Detail = {},
  more: Partial<Stamp> = {},
): Told => told({ kind: "event", event, detail }, mono_ms, { machine, boot: `${machine}-1`, ...more });

export const told = <B extends Body>(body: B, mono_ms: number, more: Partial<Stamp>) => ({
  ...stampAt(mono_ms, more),
  ...body,
  file: "test",
  line: 1,
});

/** A scratch folder, gone at the end. */
export async function scratch(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "duet-record-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
