import { Writable } from "node:stream";
import { Progress } from "../../src/machine/progress.ts";
import { idle } from "../manners.ts";
import { ensureKubernetes } from "./ensure.ts";

/**
 * Builds what a lab with Kubernetes needs behind something else, in the idle class, and says on `out` what it is at. What it
 * needs of the host is there already: two who install packages at once get in each other's way.
 */
export async function buildBehind(out: NodeJS.WriteStream = process.stderr): Promise<void> {
  await ensureKubernetes(new Progress(behindLines(out)), await idle());
}

/** Takes a progress' lines and writes each as a whole, above a line that a terminal draws again and again. */
export function behindLines(out: NodeJS.WritableStream & { isTTY?: boolean }): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const line = chunk.toString().replace(/^ {2}(\S) (.*?)( *)(?=[\d.]+ (?:s|min)\b.*$|$)/m, marked);
      out.write(`${out.isTTY === true ? "\r\x1b[K" : ""}${line}`);
      done();
    },
  });
}

const mark = "behind this: ";

/** The times stay in their column, where there is room. */
const marked = (_all: string, sign: string, name: string, room: string): string =>
  `  ${sign} ${mark}${name}${room.slice(Math.min(mark.length, Math.max(0, room.length - 1)))}`;
