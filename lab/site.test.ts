import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSite } from "../src/site/read.ts";
import { planAddresses } from "./addresses.ts";
import { imageNames } from "./kubernetes/containers.ts";
import { kubernetes_version } from "./kubernetes/versions.ts";
import { defaultSite, ownSite, prepareSite } from "./site.ts";

test("a lab has a control plane where it is asked for, and no word of it elsewhere", () => {
  for (const ipv6 of [false, true]) {
    const plain = defaultSite("lab", { ipv6 });
    assert.ok(!("kubernetes" in plain) && !("api" in plain));
    const site = defaultSite("lab", { ipv6, kubernetes: true });
    assert.ok(site.api !== undefined && site.kubernetes !== undefined);
    const balanced = defaultSite("lab", { ipv6, kubernetes: true, address: false });
    assert.ok(balanced.api === undefined && balanced.kubernetes !== undefined);
    assert.deepEqual(planAddresses(site).problems, []);
  }
});

test("the site on the lab's disk names the lab's own images and version", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-site-"));
  try {
    await prepareSite(folder, ownSite("lab", { kubernetes: true }));
    const { site, problems } = readSite(await readFile(join(folder, "site.yaml"), "utf8"), "site.yaml");
    assert.deepEqual(problems, []);
    assert.deepEqual(site?.kubernetes?.images, imageNames);
    assert.equal(site.kubernetes.version, kubernetes_version);
  } finally {
    await rm(folder, { recursive: true });
  }
});
