import { join } from "node:path";
import { paths } from "../base/paths.ts";
import type { Problem } from "../base/problem.ts";
import { RecordFile } from "./file.ts";
import { memoryFile } from "./memory.ts";
import { type Heard, Recorder } from "./recorder.ts";
import { machineClock } from "./stamp.ts";

/** The parts of duet that write. They share one memory, so that what one has told the others do not tell again. */
export type Part = "agent" | "fence" | "guard" | "setup" | "command";

export interface Where {
  readonly record: string;
  readonly run: string;
}

/** This machine's recorder for this process. `onTrouble` is told once that nothing can be written. */
export function openRecorder(
  machine: string,
  by: Part,
  onTrouble: (problem: Problem) => void,
  where: Where = paths,
  heard?: Heard,
): Recorder {
  const file = new RecordFile(where.record, machine, (why) =>
    onTrouble({
      code: "DUET-E-RECORD-WRITE",
      where: machine,
      what: `the flight recorder can't write: ${why}`,
      fix: "duet goes on without it; see whether the disk is full or read-only",
    }),
  );
  return new Recorder(file, machineClock(machine, by), memoryFile(join(where.run, "record.json")), heard);
}
