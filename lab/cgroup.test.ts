import assert from "node:assert/strict";
import { test } from "node:test";
import { foldersIn } from "./cgroup.ts";

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
