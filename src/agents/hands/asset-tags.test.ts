import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { keepAssetTags } from "../setup/asset-tags.ts";
import { putTextBack } from "../uninstall/tags.ts";
import { earlierText, keepText, readAssetTags } from "./asset-tags.ts";
import { bmcEffects } from "./bmc.ts";
import { testTag } from "./tag.ts";
import { FakePacemaker } from "./testing.ts";
import { sharing } from "../../../lab/bmc/testing-sharing.ts";
import { twoBmcs } from "../../../lab/bmc/testing-two.ts";

const tag_ms = 5_000;
type Lab = Awaited<ReturnType<typeof twoBmcs>>;
const raise = (lab: Lab, epoch: number) =>
  bmcEffects(lab.from("node1")).raiseTag("theirs", { epoch, owner: "node1" }, tag_ms);
const kept = (lab: Lab, me = "node1") => readAssetTags(lab.filesOf(me).assetTags);
const setUp = (lab: Lab, me: "node1" | "node2" = "node1") =>
  keepAssetTags({ ways: lab.from(me), say: () => undefined, firstStart: true }, lab.filesOf(me).assetTags);

test("what somebody wrote over a tag is kept before a takeover writes over that, beside what setup found", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", "rack 7");
  await setUp(lab);
  assert.equal((await raise(lab, 1)).ok, true);
  await lab.write("node2", "inventory 4711");
  assert.equal((await raise(lab, 2)).ok, true);
  assert.match(await lab.tag("node2"), /:2:1$/);
  assert.deepEqual(earlierText(lab.site, await kept(lab), "node2"), {
    text: "inventory 4711",
    older: ["rack 7"],
  });
  const said = await putTextBack(lab.from("node1"), "theirs", await kept(lab));
  assert.equal(await lab.tag("node2"), "inventory 4711");
  assert.equal(said, 'the asset tag of node2 says "inventory 4711" again; earlier it said "rack 7"');
});

test("the same text twice, tags of this site, a test's text and nothing are not kept", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", "rack 7");
  await setUp(lab);
  const before = await kept(lab);
  for (const [epoch, text] of ["rack 7", "", testTag(lab.site, "abcdef0")].entries()) {
    await lab.write("node2", text);
    await raise(lab, 10 + epoch);
  }
  await raise(lab, 20);
  assert.deepEqual(await kept(lab), before);
});

test("of many texts the first stays, and the last ones", async () => {
  await using lab = await twoBmcs();
  const [, node2] = lab.site.machines;
  assert.ok(node2 !== undefined);
  for (let count = 0; count < 20; count += 1)
    await keepText(node2, `text ${count}`, lab.filesOf("node1").assetTags);
  const { text, older = [] } = earlierText(lab.site, await kept(lab), "node2") ?? {};
  assert.equal(text, "text 19");
  assert.equal(older[0], "text 0");
  assert.equal(older.length, 8);
});

test("a file of kept texts that can't be understood holds up no takeover, and stays as it is", async () => {
  await using lab = await twoBmcs();
  const { assetTags } = lab.filesOf("node1");
  await mkdir(dirname(assetTags));
  await writeFile(assetTags, "{");
  await lab.write("node2", "rack 7");
  assert.equal((await raise(lab, 2)).ok, true);
  assert.equal(await readFile(assetTags, "utf8"), "{");
});

test("the peer, who was off then, learns of the text: it may be the one that is uninstalled first", async () => {
  await using lab = await twoBmcs();
  for (const me of ["node1", "node2"] as const) await setUp(lab, me);
  const cluster = new FakePacemaker();
  const share = sharing(lab, cluster);
  for (const [epoch, text] of ["inventory 1", "inventory 2"].entries()) {
    await lab.write("node2", text);
    await raise(lab, 1 + epoch);
  }
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await share("node1", "node2");
    await share("node2", "node1");
  }
  assert.deepEqual(await kept(lab, "node2"), await kept(lab));
  assert.equal(earlierText(lab.site, await kept(lab, "node2"), "node2")?.text, "inventory 2");
});

test("two who kept more than fits do not push out each other's", async () => {
  await using lab = await twoBmcs();
  const cluster = new FakePacemaker();
  const share = sharing(lab, cluster);
  const [, machine] = lab.site.machines;
  assert.ok(machine !== undefined);
  for (const [me, count] of [
    ["node1", 9],
    ["node2", 4],
  ] as const)
    for (let n = 0; n < count; n += 1) await keepText(machine, `${me} ${n}`, lab.filesOf(me).assetTags);
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await share("node1", "node2");
    await share("node2", "node1");
  }
  assert.equal(earlierText(lab.site, await kept(lab), "node2")?.text, "node1 8");
  const settled = [await kept(lab), await kept(lab, "node2")];
  await share("node1", "node2");
  await share("node2", "node1");
  assert.deepEqual([await kept(lab), await kept(lab, "node2")], settled);
});

test("texts that several processes keep at once are all kept", async () => {
  await using lab = await twoBmcs();
  const { assetTags } = lab.filesOf("node1");
  const texts = ["rack 1", "rack 2", "rack 3", "rack 4"];
  await Promise.all(
    lab.site.machines.flatMap((machine) => texts.map((text) => keepText(machine, text, assetTags))),
  );
  const all = await kept(lab);
  for (const { name } of lab.site.machines)
    assert.deepEqual(new Set([all[name]?.text, ...(all[name]?.later ?? [])]), new Set(texts));
});
