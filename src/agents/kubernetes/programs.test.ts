import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { requirePrograms } from "./programs.ts";
import { ownPrograms } from "./testing-programs.ts";

test("setup stops at a program that is not there, and at a kubelet that would refuse its configuration", async () => {
  await using own = await ownPrograms();
  const { program } = own;
  const said: string[] = [];
  const refused = async () => {
    const error: unknown = await requirePrograms((detail) => said.push(detail)).catch((each) => each);
    return error instanceof DuetError
      ? error.problems.map(({ code, where, what }) => [code, where, what])
      : error;
  };
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
});
