import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError, type Problem } from "../../base/problem.ts";
import { canHold } from "./can-hold.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-can-hold-"));
after(() => rm(folder, { recursive: true }));

async function agent(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

async function problem(address: string, path: string): Promise<Problem> {
  try {
    await canHold(address, () => undefined, path);
  } catch (error) {
    assert.ok(error instanceof DuetError);
    const [first] = error.problems;
    assert.ok(first !== undefined);
    return first;
  }
  return assert.fail("it can");
}

test("the agent is asked for this address, and nothing but whether it could", async () => {
  const said: string[] = [];
  const path = await agent("good", '[ "$*" = validate-all ] && [ "$OCF_RESKEY_ip" = 192.0.2.10 ]');
  await canHold("192.0.2.10", (line) => said.push(line), path);
  assert.deepEqual(said, ["192.0.2.10"]);
});

test("why it can't is told in the agent's words, and what to do", async () => {
  const path = await agent(
    "bad",
    "echo noise >&2; echo ocf-exit-reason:no address in a network of it >&2; exit 1",
  );
  const told = await problem("2001:db8::10", path);
  assert.equal(told.code, "DUET-E-KUBERNETES-ADDRESS");
  assert.match(told.what, /: no address in a network of it$/);
  assert.match(told.fix, /an IPv6 address in the network/);
  const lacking = await problem("192.0.2.10", await agent("lacking", "exit 5"));
  assert.match(lacking.what, /status 5$/);
  assert.match(lacking.fix, /resource-agents/);
  const none = await problem("192.0.2.10", join(folder, "none"));
  assert.match(none.fix, /render the site again/);
});
