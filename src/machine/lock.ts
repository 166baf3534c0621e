import { open } from "node:fs/promises";
import { fail } from "../base/problem.ts";
import { run } from "./process.ts";

const wait_s = 3;

/** Beside a file that several of duet's programs change, each by what it has read there. */
export const lockOf = (path: string): string => `${path}.lock`;

/** The lock is the open file's: a short program takes it for us, and it ends with the file, or with this process. */
export async function lockFile(path: string): Promise<AsyncDisposable> {
  const file = await open(path, "a", 0o600);
  const { status } = await run(["flock", "--exclusive", "--timeout", String(wait_s), "3"], {
    inherit: [file.fd],
    accept: "any",
    deadline_ms: 2 * wait_s * 1000,
  });
  if (status === 0) return file;
  await file.close();
  return fail(
    "DUET-E-MEMORY-LOCK",
    path,
    `another duet on this machine held it for ${wait_s} s`,
    "see which one hangs: `fuser -v` on this file",
  );
}
