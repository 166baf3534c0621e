import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bench, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { fakeService } from "../../redfish/testing.ts";
import { tagText, testTag } from "../hands/tag.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { Ways } from "../hands/ways.ts";
import { earlierText, readAssetTags } from "../hands/asset-tags.ts";
import { keepAssetTags } from "./asset-tags.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-asset-tags-"));
const bmcs = [await bench(), await bench()] as const;
after(async () => {
  for (const each of bmcs) await each[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`);
await chmod(join(folder, "bmc.credentials"), 0o600);
const at = (port: number) => `https://127.0.0.1:${port}`;
const site = twoMachines({ node1: at(bmcs[0].bmc.port), node2: at(bmcs[1].bmc.port) });
const ways = new Ways({ site, me: "node1", folder });
const write = (index: 0 | 1, AssetTag: string) =>
  bmcs[index].call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag } });
const keep = (path: string, firstStart = true) =>
  keepAssetTags({ ways, say: () => undefined, firstStart }, path);

test("what stands in both BMCs is kept, and never replaced by a later run", async () => {
  const path = join(folder, "kept");
  await write(0, "rack 7, u 12");
  await keep(path);
  const first = await readFile(path, "utf8");
  await write(0, tagText(site, { epoch: 1, owner: "node1" }));
  await write(1, "somebody else's, later");
  await keep(path);
  assert.equal(await readFile(path, "utf8"), first);
  const kept = await readAssetTags(path);
  assert.equal(earlierText(site, kept, "node1")?.text, "rack 7, u 12");
  assert.equal(earlierText(site, kept, "node2")?.text, "");
});

test("a text of duet's own is no earlier one", async () => {
  const path = join(folder, "ours");
  await write(0, tagText(site, { epoch: 3, owner: "node2" }));
  await write(1, testTag(site, "abcdef0"));
  await keep(path);
  assert.equal(earlierText(site, await readAssetTags(path), "node1"), undefined);
  assert.deepEqual(await readAssetTags(path), {});
});

test("a file that can't be understood is not written over", async () => {
  const path = join(folder, "torn");
  await writeFile(path, "{");
  await assert.rejects(
    keep(path),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-ASSET-TAGS",
  );
  assert.equal(await readFile(path, "utf8"), "{");
});

test("a BMC without an AssetTag stops the first setup of a site with a witness, and no later one", async () => {
  const kit = { tls: await testTls(), login: { username, password } };
  await using bare = await fakeService(kit, ({ path }) => ({
    body:
      path === "/redfish/v1/"
        ? { Systems: { "@odata.id": "/redfish/v1/Systems" } }
        : path.endsWith("Systems")
          ? { Members: [{ "@odata.id": "/redfish/v1/Systems/1" }] }
          : { PowerState: "On" },
  }));
  const without = new Ways({
    site: twoMachines({ node1: at(bare.port), node2: at(bmcs[1].bmc.port) }),
    me: "node1",
    folder,
  });
  const path = join(folder, "bare");
  const run = (firstStart: boolean) =>
    keepAssetTags({ ways: without, say: () => undefined, firstStart }, path);
  await assert.rejects(
    run(true),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-WITNESS-NO-TAG",
  );
  await run(false);
  assert.deepEqual(Object.keys(await readAssetTags(path)), []);
});
