import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exists } from "../../machine/files.ts";
import { ownUnits } from "../../render/kubernetes/kubelet.ts";
import { isOfPod } from "./pods.ts";
import { removeOwnUnit } from "./remove.ts";

const id = "0123456789abcdef".repeat(4);

test("a pod's process is known by its control group, by either way to name it, and nothing else is one", () => {
  for (const cgroup of [
    `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/crio-${id}.scope`,
    `12:memory:/kubepods/besteffort/pod1/crio-${id}\n1:name=systemd:/kubepods/besteffort/pod1/crio-${id}`,
    `0::/system.slice/crio-conmon-${id}.scope`,
  ])
    assert.ok(isOfPod(cgroup), cgroup);
  for (const cgroup of [
    "0::/system.slice/crio.service",
    "0::/system.slice/kubelet.service",
    "0::/system.slice/duet-etcd.service",
    "0::/user.slice/kubepods-notes.scope",
    "",
  ])
    assert.ok(!isOfPod(cgroup), cgroup);
});

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
