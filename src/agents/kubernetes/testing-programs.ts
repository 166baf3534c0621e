import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For tests: programs of a test's own stand before the machine's, in the path, until it is disposed of. */
export interface OwnPrograms extends AsyncDisposable {
  /** Writes it as a shell script. */
  readonly program: (name: string, text: string) => Promise<void>;
}

export async function ownPrograms(): Promise<OwnPrograms> {
  const folder = await mkdtemp(join(tmpdir(), "duet-programs-"));
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:/usr/bin:/bin`;
  return {
    program: async (name, text) => {
      await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
      await chmod(join(folder, name), 0o755);
    },
    [Symbol.asyncDispose]: async () => {
      process.env["PATH"] = before;
      await rm(folder, { recursive: true });
    },
  };
}
