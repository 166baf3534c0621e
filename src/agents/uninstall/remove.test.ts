import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exists } from "../../machine/files.ts";
import { ownUnits } from "../../render/kubernetes/kubelet.ts";
import { removeOwnUnit } from "./remove.ts";

test("a unit goes only if setup has put it there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-units-"));
  try {
    const [ours, theirs] = [join(folder, "kubelet.service"), join(folder, "crio.service")];
    await writeFile(ours, ownUnits.kubelet);
    await writeFile(theirs, "[Unit]\nDescription=CRI-O, of the package\n");
    for (const path of [ours, theirs, join(folder, "none")]) await removeOwnUnit(path);
    assert.equal(await exists(ours), false);
    assert.match(await readFile(theirs, "utf8"), /of the package/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
