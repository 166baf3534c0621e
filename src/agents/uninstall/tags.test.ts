import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { bench, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { tagText, testTag } from "../hands/tag.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { Ways } from "../hands/ways.ts";
import { putTextBack, putTextsBack, tagLeft } from "./tags.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-uninstall-tags-"));
const bmc = await bench();
after(async () => {
  await bmc[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => clearFaults(bmc.folder));
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`);
await chmod(join(folder, "bmc.credentials"), 0o600);
const url = `https://127.0.0.1:${bmc.bmc.port}`;
const site = twoMachines({ node1: url, node2: "https://192.0.2.2" });
const ways = new Ways({ site, me: "node1", folder });
const system = "/redfish/v1/Systems/1";
const write = (AssetTag: string) => bmc.call("PATCH", system, { body: { AssetTag } });
const shown = async () => (await bmc.call("GET", system)).json["AssetTag"];
const kept = (text: string | null) => ({ node1: { bmc: url, text } });
const tag = tagText(site, { epoch: 4, owner: "node2" });

test("the earlier text is back, in the place of a tag and of what a test has left", async () => {
  for (const ours of [tag, testTag(site, "abcdef0")]) {
    await write(ours);
    assert.match(await putTextBack(ways, "mine", kept("rack 7")), /"rack 7" again/);
    assert.equal(await shown(), "rack 7");
  }
  assert.match(await putTextBack(ways, "mine", kept("rack 7")), /not duet's: it stays/, "once more");
});

test("nothing is put back as nothing; what nobody knows as nothing too, and that is said", async () => {
  for (const text of [null, ""]) {
    await write(tag);
    assert.match(await putTextBack(ways, "mine", kept(text)), /"" again/);
    assert.equal(await shown(), "");
  }
  await write(tag);
  assert.match(await putTextBack(ways, "mine", {}), /not known/);
  assert.equal(await shown(), "");
});

test("where a BMC can't be written to, what stood there is told: duet's own note of it goes", () => {
  assert.match(tagLeft(ways, "mine", kept("rack 7"), "no answer"), /before duet was "rack 7": no answer$/);
  assert.match(tagLeft(ways, "mine", {}, "no answer"), /before duet is not known: no answer$/);
});

test("what was kept of another BMC is not written into this one", async () => {
  await write(tag);
  await putTextBack(ways, "mine", { node1: { bmc: "https://192.0.2.9", text: "rack 9" } });
  assert.equal(await shown(), "");
});

test("a text that somebody wrote since stays, also that of another site", async () => {
  for (const text of ["mine now", tagText({ ...site, name: "other" }, { epoch: 1, owner: "node1" })]) {
    await write(text);
    await putTextBack(ways, "mine", kept("rack 7"));
    assert.equal(await shown(), text);
  }
});

test("a BMC that only says so, or does not answer, is told", async () => {
  await write(tag);
  for (const [fault, code] of [
    ["lies", "DUET-E-UNINSTALL-TAG"],
    ["accepted-no-effect", "DUET-E-UNINSTALL-TAG"],
    ["server-error", "DUET-E-REDFISH-STATUS"],
  ] as const) {
    await clearFaults(bmc.folder);
    await writeFault(bmc.folder, parseFault(fault));
    await assert.rejects(
      putTextBack(ways, "mine", kept("rack 7")),
      (error) => error instanceof DuetError && error.problems[0]?.code === code,
      fault,
    );
  }
});

const withoutWitness = (node2 = "https://192.0.2.2") => {
  const machines = twoMachines({ node1: url, node2 });
  return new Ways({ site: { ...machines, witness: "off" }, me: "node1", folder });
};
const consented = { last: false, force: null };

test("where the witness was switched off later, duet's tag still goes and the earlier text is put back", async () => {
  await write(tag);
  const [told, ...more] = await putTextsBack(withoutWitness(), kept("rack 7"), consented);
  assert.deepEqual([told, more], ['the asset tag of node1 says "rack 7" again', []]);
  assert.equal(await shown(), "rack 7");
});

test("where there never was a witness no BMC is asked", async () => {
  await write("rack 7");
  await writeFault(bmc.folder, parseFault("server-error"));
  const [told] = await putTextsBack(withoutWitness(), {}, { last: true, force: null });
  assert.match(told ?? "", /no earlier text is kept/);
  await clearFaults(bmc.folder);
  assert.equal(await shown(), "rack 7");
});

test("a BMC that does not answer is left only where it is forced, and then the kept text is told", async () => {
  await write(tag);
  await writeFault(bmc.folder, parseFault("server-error"));
  await assert.rejects(putTextsBack(withoutWitness(), kept("rack 7"), consented), DuetError);
  const told = await putTextsBack(withoutWitness(url), kept("rack 7"), { last: true, force: "it is gone" });
  assert.equal(told.length, 2);
  assert.match(told[0] ?? "", /node1 is left as it is, and what stood there before duet was "rack 7": /);
});

test("a kept text that somebody's own has replaced is told, since duet's note of it goes", async () => {
  await write("mine now");
  assert.match(await putTextBack(ways, "mine", kept("rack 7")), /it stays; before duet it said "rack 7"$/);
  await write("rack 7");
  assert.match(await putTextBack(ways, "mine", kept("rack 7")), /it stays$/);
});
