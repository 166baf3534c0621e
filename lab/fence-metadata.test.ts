import assert from "node:assert/strict";
import { test } from "node:test";
import { metadata } from "../src/agents/fence/metadata.ts";
import { run } from "../src/machine/process.ts";
import { imageRoot } from "./testing-image.ts";

/** What fence-agents ships for its own agents. */
const schema = "/usr/share/cluster/relaxng/metadata.rng";
const judged = async (text: string) =>
  await run(["chroot", await imageRoot(), "xmllint", "--noout", "--relaxng", schema, "-"], {
    input: text,
    accept: "any",
    deadline_ms: 60_000,
  });

test("fence_duet's metadata is what fence-agents' own schema asks for", async () => {
  const { status, stderr } = await judged(metadata());
  assert.equal(status, 0, stderr);
  assert.notEqual((await judged(metadata().replace("<getopt", "<gitopt"))).status, 0);
});
