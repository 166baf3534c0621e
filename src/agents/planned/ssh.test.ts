import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError, exit } from "../../base/problem.ts";
import type { SshAnswer } from "../check/ssh.ts";
import { twoMachines } from "../hands/testing-site.ts";
import type { Deed } from "./deed.ts";
import { doBySsh } from "./ssh.ts";

const site = twoMachines({ node1: "203.0.113.1", node2: "203.0.113.2" });
const answer = (status: number, stdout = "", stderr = ""): SshAnswer => ({
  ok: true,
  address: "192.0.2.12",
  status,
  stdout,
  stderr,
});
const silent: SshAnswer = { ok: false, why: "no ssh on 192.0.2.11" };
const reboot: Deed = { do: "reboot", machine: "node2", force: false };
const standby: Deed = { do: "standby", machine: "node1", force: false };

/** What was asked of whom; `answers` by machine. */
async function asked(deed: Deed, answers: Readonly<Record<string, SshAnswer>>): Promise<readonly string[]> {
  const calls: string[] = [];
  await doBySsh(site, deed, undefined, async ({ name }, words) => {
    calls.push(`${name}: ${words.join(" ")}`);
    return answers[name] ?? silent;
  });
  return calls;
}

const problemOf = (code: string, what: RegExp) => (error: unknown) =>
  error instanceof DuetError && error.problems[0]?.code === code && what.test(error.problems[0].what);

test("a reboot is asked of the machine itself, the rest of whoever answers", async () => {
  assert.deepEqual(await asked(reboot, { node2: answer(0) }), ["node2: reboot node2 --here --json"]);
  assert.deepEqual(await asked(standby, { node2: answer(0) }), [
    "node1: standby node1 --here --json",
    "node2: standby node1 --here --json",
  ]);
  assert.deepEqual(await asked({ ...reboot, force: true }, { node2: answer(0) }), [
    "node2: reboot node2 --force --here --json",
  ]);
  assert.deepEqual(await asked({ do: "maintenance", on: false }, { node1: answer(0) }), [
    "node1: maintenance off --here --json",
  ]);
});

test("a machine that goes down before ssh has its answer was told", async () => {
  const cut = answer(255, "", "Connection to 192.0.2.12 closed by remote host.");
  await asked(reboot, { node2: cut });
  await assert.rejects(
    asked(standby, { node1: cut }),
    problemOf("DUET-E-PLANNED-UNHEARD", /node1: .*node2: /),
  );
});

test("what goes wrong there is told as it is told there", async () => {
  const problems = [{ code: "DUET-E-PROCESS-FAILED", where: "crm_attribute", what: "no", fix: "see" }];
  await assert.rejects(
    asked(standby, { node1: answer(1, JSON.stringify({ problems })) }),
    problemOf("DUET-E-PROCESS-FAILED", /^no$/),
  );
  const late = JSON.stringify({ problems: [{ ...problems[0], code: "DUET-E-PLANNED-ONE-AT-A-TIME" }] });
  await assert.rejects(
    asked(standby, { node1: answer(3, late) }),
    (error) => error instanceof DuetError && error.status === exit.notHere,
    "refused there is refused here",
  );
  const usage = JSON.stringify({ problems: [{ ...problems[0], code: "DUET-E-USAGE" }] });
  await assert.rejects(
    asked(reboot, { node2: answer(2, usage) }),
    problemOf("DUET-E-PLANNED-UNHEARD", /another version/),
  );
  await assert.rejects(asked(reboot, {}), problemOf("DUET-E-PLANNED-UNHEARD", /node2: no ssh/));
});
