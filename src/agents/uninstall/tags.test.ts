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
import { putTextBack, tagLeft } from "./tags.ts";

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
