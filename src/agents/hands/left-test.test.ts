import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { exists } from "../../machine/files.ts";
import type { State } from "../../act/effects.ts";
import { state_empty } from "../../facts/state.ts";
import { keepBefore, putTagBack } from "../setup/witness.ts";
import { readAssetTags } from "./asset-tags.ts";
import { bmcEffects, lookAtPeer } from "./bmc.ts";
import { begunTest, putBackSafely } from "./left-test.ts";
import { tagText, testTag } from "./tag.ts";
import { twoBmcs } from "../../../lab/bmc/testing-two.ts";

const look_ms = 5_000;
type Lab = Awaited<ReturnType<typeof twoBmcs>>;
const lineage = { epoch: 3, owner: "node1" };
const look = async (lab: Lab) => (await lookAtPeer(lab.from("node1"), look_ms)).tag;

/** node1's test of node2's BMC, cut off after it has written its text: by another process, which has ended. */
async function cutOff(lab: Lab, nonce = "abcdef0"): Promise<string> {
  const text = testTag(lab.site, nonce);
  const before = await lab.tag("node2");
  const url = lab.site.machines[1]?.bmc.url;
  const path = lab.filesOf("node1").tagTest;
  const script = `import { noteTest } from "${new URL("left-test.ts", import.meta.url).href}";
    await noteTest(${JSON.stringify(path)}, ${JSON.stringify({ bmc: url, text, before })});`;
  const { status, stderr } = spawnSync(process.execPath, [
    "--input-type=module-typescript",
    "--eval",
    script,
  ]);
  assert.equal(status, 0, String(stderr));
  await lab.write("node2", text);
  return text;
}

test("the text of a test that was cut off is gone at the next look, and what stood there is back", async () => {
  for (const before of [{ epoch: 3, owner: "node1" }, { epoch: 9, owner: "node2" }, "rack 7", ""]) {
    await using lab = await twoBmcs();
    const text = typeof before === "string" ? before : tagText(lab.site, before);
    await lab.write("node2", text);
    await cutOff(lab);
    const seen = await look(lab);
    assert.equal(await lab.tag("node2"), text);
    const kinds = { "rack 7": "foreign", "": "blank" } as const;
    assert.deepEqual(
      seen,
      typeof before === "string"
        ? { kind: before === "" ? kinds[""] : kinds["rack 7"] }
        : { kind: "lineage", ...before },
    );
    assert.equal(await exists(lab.filesOf("node1").tagTest), false);
  }
});

test("a test that is at work is left alone, by whomever", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", tagText(lab.site, lineage));
  const text = testTag(lab.site, "abcdef0");
  await keepBefore(lab.from("node1"), text, tagText(lab.site, lineage));
  await look(lab);
  assert.ok(await exists(lab.filesOf("node1").tagTest), "before it has written");
  await lab.write("node2", text);
  assert.deepEqual(await look(lab), { kind: "foreign" });
  assert.equal(await lab.tag("node2"), text);
});

test("a takeover beside a text that was left writes its tag over it, and the text before is never put over that", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", tagText(lab.site, lineage));
  await cutOff(lab);
  const four = { epoch: 4, owner: "node1" };
  const raised = await bmcEffects(lab.from("node1")).raiseTag("theirs", four, look_ms);
  assert.deepEqual(raised, { ok: true, value: "written" });
  assert.deepEqual(await look(lab), { kind: "lineage", ...four });
  assert.equal(await exists(lab.filesOf("node1").tagTest), false);
  // A BMC that brings the test's text back has lost a tag: what stood there long ago would be a lower one.
  await lab.write("node2", testTag(lab.site, "abcdef0"));
  assert.deepEqual(await look(lab), { kind: "foreign" });
});

test("the machine whose BMC it is, and that has not tested it, takes over all the same", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", tagText(lab.site, lineage));
  await cutOff(lab);
  const own = bmcEffects(lab.from("node2"));
  assert.deepEqual(await own.raiseTag("mine", { epoch: 4, owner: "node2" }, look_ms), {
    ok: true,
    value: "written",
  });
  assert.equal(await lab.tag("node2"), tagText(lab.site, { epoch: 4, owner: "node2" }));
});

test("a second test keeps what stood there before the first", async () => {
  await using lab = await twoBmcs();
  const tag = tagText(lab.site, lineage);
  await lab.write("node2", tag);
  const left = await cutOff(lab);
  await keepBefore(lab.from("node1"), testTag(lab.site, "1234567"), left);
  assert.equal((await begunTest(lab.filesOf("node1").tagTest))?.before, tag);
  await keepBefore(lab.from("node1"), testTag(lab.site, "1234567"), testTag(lab.site, "7654321"));
  assert.equal((await begunTest(lab.filesOf("node1").tagTest))?.before, null, "of a test that nobody knows");
});

test("without an ETag who only looks puts nothing back: the peer may raise the tag in between", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", tagText(lab.site, lineage));
  const text = await cutOff(lab);
  const path = lab.filesOf("node1").tagTest;
  const test = await begunTest(path);
  assert.ok(test !== undefined);
  const client = await lab.from("node1").bmc("theirs", look_ms);
  const seen = { tag: text };
  assert.deepEqual(await putBackSafely(client, test, seen, path), seen);
  assert.equal(await lab.tag("node2"), text);
  assert.ok(await exists(path), "setup's next test still knows what stood there");
});

test("a test that ends lowers no tag, keeps what somebody wrote there, and leaves the site's own", async () => {
  await using lab = await twoBmcs();
  const ways = lab.from("node1");
  const state: State = { ...state_empty, lineage };
  const disk = { readState: async () => ({ ok: true as const, value: state }) };
  const end = async (before: string) => {
    const text = testTag(lab.site, "abcdef0");
    await keepBefore(ways, text, before);
    await lab.write("node2", text);
    await putTagBack(ways, { disk, bmc: bmcEffects(ways) }, text);
    assert.equal(await exists(lab.filesOf("node1").tagTest), false);
    return await lab.tag("node2");
  };
  const higher = tagText(lab.site, { epoch: 9, owner: "node2" });
  assert.equal(await end(higher), higher);
  const tag = tagText(lab.site, lineage);
  assert.equal(await end(tag), tag);
  assert.equal(await end("rack 7"), tag);
  const kept = await readAssetTags(lab.filesOf("node1").assetTags);
  assert.equal(kept["node2"]?.text, "rack 7");
});
