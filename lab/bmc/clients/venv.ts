import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../../src/machine/files.ts";
import { run } from "../../../src/machine/process.ts";
import { cacheFolder } from "../../cache.ts";

const requirements = join(import.meta.dirname, "..", "requirements.txt");

/** A Python with the pinned clients; made once and kept in duet's cache under the hash of what is pinned. */
export async function pythonWithClients(): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 12);
  const folder = join(cacheFolder(), `venv-${hash}`);
  const python = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (await exists(complete)) return python;
  await rm(folder, { recursive: true, force: true });
  await mkdir(cacheFolder(), { recursive: true });
  await run(["python3", "-m", "venv", folder], { deadline_ms: 120_000 });
  await run([python, "-m", "pip", "install", "--quiet", "--no-input", "--requirement", requirements], {
    deadline_ms: 600_000,
  });
  await writeFile(complete, "");
  return python;
}
