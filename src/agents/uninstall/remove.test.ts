import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exists } from "../../machine/files.ts";
import { ownUnits } from "../../render/kubernetes/kubelet.ts";
import { removeHalves, removeOwnUnit, stampsOf } from "./remove.ts";

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

test("what a killed part of duet had half written goes, and nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-halves-"));
  try {
    for (const name of ["uninstall.4711.2.tmp", "state", "etcd.tmp", "note.1.tmp.old"])
      await writeFile(join(folder, name), "");
    await removeHalves(folder);
    assert.deepEqual((await readdir(folder)).toSorted(), ["etcd.tmp", "note.1.tmp.old", "state"]);
    await removeHalves(join(folder, "none"));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what systemd remembers of duet's timers goes with them", () => {
  assert.deepEqual(stampsOf(["duet-work.service", "duet-certificates.timer"]), [
    "/var/lib/systemd/timers/stamp-duet-certificates.timer",
  ]);
});
