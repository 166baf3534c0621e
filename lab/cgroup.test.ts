import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { foldersIn, hasProcesses, processesIn } from "./cgroup.ts";

const own = "9:name=systemd:/\n4:memory:/limited/here\n1:cpu,cpuacct:/\n0::/v2\n";

test("a lab's groups are below the host's own in each hierarchy, and in version 2 where the host has both", () => {
  const first = [
    "/sys/fs/cgroup/systemd/lab",
    "/sys/fs/cgroup/memory/limited/here/lab",
    "/sys/fs/cgroup/cpu,cpuacct/lab",
  ];
  assert.deepEqual(foldersIn(own, "lab", false), first);
  assert.deepEqual(foldersIn(own, "lab", true), [...first, "/sys/fs/cgroup/unified/v2/lab"]);
});

test("a group has processes where it, or one below it, lists some", async () => {
  const folder = mkdtempSync(join(tmpdir(), "duet-groups-"));
  try {
    const below = join(folder, "machine-1", "system.slice");
    mkdirSync(below, { recursive: true });
    const list = (pids: string, ...groups: readonly string[]) =>
      groups.forEach((group) => writeFileSync(join(group, "cgroup.procs"), pids));
    list("", folder, join(folder, "machine-1"), below);
    assert.equal(await hasProcesses(folder), false);
    list("12\n13\n", below);
    assert.equal(await hasProcesses(folder), true);
    assert.deepEqual(await processesIn(folder), [12, 13]);
    assert.equal(await hasProcesses(join(folder, "machine-2")), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
