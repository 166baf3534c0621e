import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLasting } from "../../machine/fence-times.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { installedIn } from "./services.ts";

const { site } = readSite(minimal, "site.yaml");
assert.ok(site !== undefined);
const node = (name: string, said?: string) =>
  `<node uname="${name}">${
    said === undefined
      ? ""
      : `<instance_attributes id="${name}"><nvpair id="${name}-1" name="duet-services" value="${said}"/></instance_attributes>`
  }</node>`;
const installed = (first?: string, second?: string) =>
  installedIn(site, parseLasting(`<nodes>${node("node1", first)}${node("node2", second)}</nodes>`));

test("nothing is configured before both machines have said what they have", () => {
  assert.equal(installed(), undefined);
  assert.equal(installed("crio kubelet"), undefined);
  assert.equal(installed(undefined, "none"), undefined);
});

test("each machine has what it said, in any order, and nothing that duet does not know", () => {
  const has = installed("kubelet crio sshd", "none");
  assert.deepEqual([...(has?.get("node1") ?? [])], ["crio", "kubelet"]);
  assert.deepEqual([...(has?.get("node2") ?? [])], []);
});
