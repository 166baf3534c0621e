import assert from "node:assert/strict";
import { test } from "node:test";
import { signalCommand } from "./scenario-units.ts";

test("CRI-O and the kubelet are signalled alone, and not what is in their control groups", () => {
  for (const program of ["crio", "kubelet"])
    for (const signal of ["SIGKILL", "SIGSTOP", "SIGCONT"] as const)
      assert.deepEqual(signalCommand(program, signal), [
        "systemctl",
        "kill",
        "--kill-whom=main",
        `--signal=${signal}`,
        `${program}.service`,
      ]);
});

test("Pacemaker is signalled with all of its daemons", () => {
  assert.equal(
    signalCommand("pacemaker", "SIGKILL").join(" "),
    "systemctl kill --kill-whom=all --signal=SIGKILL pacemaker.service",
  );
});

test("an API server is no unit of systemd's", () => {
  assert.equal(
    signalCommand("apiserver", "SIGSTOP").join(" "),
    "pkill --signal SIGSTOP --full ^kube-apiserver ",
  );
});
