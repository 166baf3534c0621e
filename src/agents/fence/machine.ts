import { addAbortSignal, type Readable } from "node:stream";
import { fail } from "../../base/problem.ts";
import { paths } from "../../base/paths.ts";
import { readIfThere } from "../../machine/files.ts";
import { bootSystems } from "../hands/systems.ts";
import type { FenceMachine } from "./agent.ts";

const input_bytes_max = 1 << 16;
const input_ms = 5_000;

/** Everything of the machine but what off needs beside a BMC: that is put together elsewhere. */
export const fenceSeat = (
  version: string,
): Pick<
  FenceMachine,
  "me" | "siteFile" | "systems" | "files" | "version" | "readInput" | "say" | "complain"
> => ({
  me: ownName,
  siteFile: paths.site,
  systems: bootSystems(),
  files: paths,
  version,
  // A person who gives no options at a terminal is told so, and not waited for.
  readInput: async () => (process.stdin.isTTY ? "" : await readInput(process.stdin)),
  say: (line) => process.stdout.write(line),
  complain: (line) => process.stderr.write(line),
});

async function ownName(): Promise<string> {
  const name = (await readIfThere(paths.machine))?.trim();
  if (name !== undefined && name !== "") return name;
  return fail(
    "DUET-E-SETUP-NOT-RENDERED",
    paths.machine,
    "this machine was not made by `duet render`: its own name is missing",
    "run this on a machine that was installed with the site's Ignition file",
  );
}

/** All of it, within bounds: whoever calls an agent closes its input, and what never ends is no option. */
export async function readInput(stream: Readable, deadline_ms: number = input_ms): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(AbortSignal.timeout(deadline_ms), stream)) {
      const part: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      bytes += part.length;
      if (bytes > input_bytes_max) break;
      chunks.push(part);
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
  return Buffer.concat(chunks).toString();
}
