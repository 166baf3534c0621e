import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { requirePrograms } from "./programs.ts";

test("setup stops at a program that is not there, and at a kubelet that would refuse its configuration", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-programs-"));
  const before = process.env["PATH"];
  const program = async (name: string, text: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  };
  const said: string[] = [];
  const refused = async () => {
    const error: unknown = await requirePrograms((detail) => said.push(detail)).catch((each) => each);
    return error instanceof DuetError
      ? error.problems.map(({ code, where, what }) => [code, where, what])
      : error;
  };
  try {
    process.env["PATH"] = `${folder}:/usr/bin:/bin`;
    await program("crio", "echo 'crio version 1.36.1'");
    await program("kubelet", "exit 127");
    const code = "DUET-E-KUBERNETES-PROGRAMS";
    assert.deepEqual(await refused(), [
      [code, "kubelet", "the site has `kubernetes:`, and this program is not installed here"],
    ]);
    await program("kubelet", "echo Kubernetes v1.34.4");
    assert.deepEqual(await refused(), [
      [
        code,
        "kubelet",
        "it is 1.34.4, and would refuse its configuration: duet's control planes need 1.35 or later",
      ],
    ]);
    assert.deepEqual(said, []);
    await program("kubelet", "echo Kubernetes v1.35.0");
    assert.equal(await refused(), undefined);
    assert.deepEqual(said, ["crio 1.36.1, kubelet 1.35.0"]);
  } finally {
    process.env["PATH"] = before;
    await rm(folder, { recursive: true });
  }
});
