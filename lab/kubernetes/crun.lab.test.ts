import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { run } from "../../src/machine/process.ts";
import { Progress } from "../../src/machine/progress.ts";
import { ensureGoPrograms } from "../go.ts";
import { kubernetesPrograms } from "./programs.ts";

let folder = "";
let crun = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-crun-"));
  crun = join(await ensureGoPrograms(kubernetesPrograms.crun, new Progress()), "crun");
});
after(async () => {
  await rm(folder, { recursive: true });
});

/** What is left of it under a root without two rights. There may be no crun here, or one that does not know the command. */
async function lowered(file: string, content: object, ...option: readonly string[]): Promise<unknown> {
  await writeFile(join(folder, file), JSON.stringify(content));
  const less = [
    "setpriv",
    "--bounding-set=-sys_time,-sys_resource",
    "--inh-caps=-sys_time,-sys_resource",
  ] as const;
  const { status } = await run([...less, crun, "no-such-command", ...option], { accept: "any" });
  assert.notEqual(status, 0);
  return JSON.parse(await readFile(join(folder, file), "utf8"));
}

const caps = ["CAP_CHOWN", "CAP_SYS_TIME", "CAP_SYS_RESOURCE", "CAP_OF_TOMORROW"];

test("a container asks for no right that the machine lacks, and all else of it stays", async () => {
  const spec = (oomScoreAdj: number, effective: readonly string[]) => ({
    ociVersion: "1.2.0",
    process: { args: ["a", "b"], capabilities: { effective, bounding: effective }, oomScoreAdj },
    linux: { resources: { memory: { limit: 1_073_741_824 } } },
  });
  assert.deepEqual(
    await lowered("config.json", spec(-997, caps), "--bundle", folder),
    spec(0, ["CAP_CHOWN", "CAP_OF_TOMORROW"]),
  );
  assert.deepEqual(
    await lowered("config.json", spec(900, ["CAP_CHOWN"]), `--bundle=${folder}`),
    spec(900, ["CAP_CHOWN"]),
  );
});

test("nor does a further process in one", async () => {
  const process = (effective: readonly string[]) => ({ args: ["sh"], capabilities: { effective } });
  assert.deepEqual(
    await lowered("exec.json", process(caps), "--process", join(folder, "exec.json")),
    process(["CAP_CHOWN", "CAP_OF_TOMORROW"]),
  );
});
