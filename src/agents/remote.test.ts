import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { DuetError } from "../base/problem.ts";
import { twoMachines } from "./hands/testing-site.ts";
import { callDuet } from "./remote.ts";

const [first] = twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" }).machines;
assert.ok(first !== undefined);
const machine = first;
const call = { words: ["credentials", "rotate"], ssh_config: undefined, deadline_ms: 10_000 };
const codes = (error: unknown) => (error instanceof DuetError ? error.problems.map(({ code }) => code) : []);

test("a machine that lets nobody in is told as one where nothing was begun", async (context) => {
  const nobody = { ...machine, addresses: ["127.0.0.2"] };
  const open = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(true));
    server.listen(22, "127.0.0.2", () => server.close(() => resolve(false)));
  });
  if (open) return context.skip("port 22 is somebody's here, or needs root");
  await assert.rejects(callDuet(nobody, v.object({}), call), (error) =>
    codes(error).includes("DUET-E-SEAT-SSH"),
  );
});

/** A program named ssh in front of the real one, and a port that lets in. */
async function withSsh(script: string, work: () => Promise<void>): Promise<"done" | "no port"> {
  const folder = await mkdtemp(join(tmpdir(), "duet-remote-"));
  const before = process.env["PATH"];
  const server = createServer();
  try {
    await writeFile(join(folder, "ssh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    process.env["PATH"] = `${folder}:${before}`;
    const listening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(22, "127.0.0.3", () => resolve(true));
    });
    if (!listening) return "no port";
    await work();
    return "done";
  } finally {
    process.env["PATH"] = before;
    server.close();
    await rm(folder, { recursive: true });
  }
}

const there = { ...machine, addresses: ["127.0.0.3"] };

test("what is told there is given here; what is wrong there is wrong here, with its status; the input is no argument", async (context) => {
  if ((await withSsh("exit 0", async () => undefined)) === "no port")
    return context.skip("port 22 is somebody's here, or needs root");
  await withSsh('read -r line; [ "$line" = "a:secret" ] && echo "{\\"words\\": \\"$*\\"}"', async () => {
    const told = await callDuet(there, v.object({ words: v.string() }), { ...call, input: "a:secret\n" });
    assert.match(told.words, /duet credentials rotate --json$/);
    assert.ok(!told.words.includes("secret"));
  });
  const problem = '{"problems":[{"code":"DUET-E-CREDENTIALS-SAME","where":"x","what":"y","fix":"z"}]}';
  await withSsh(`echo '${problem}'; exit 2`, async () => {
    await assert.rejects(callDuet(there, v.object({}), call), (error) => {
      assert.ok(error instanceof DuetError);
      assert.deepEqual([codes(error), error.status], [["DUET-E-CREDENTIALS-SAME"], 2]);
      return true;
    });
  });
  for (const script of ["echo hello", "echo 'Permission denied' >&2; exit 255", "exit 1"])
    await withSsh(script, async () => {
      await assert.rejects(callDuet(there, v.object({ a: v.string() }), call), (error) =>
        codes(error).includes("DUET-E-SEAT-ANSWER"),
      );
    });
});
