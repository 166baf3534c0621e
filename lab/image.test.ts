import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesPackages, packages } from "./image/packages.ts";
import { imageFolder } from "./image.ts";

test("machines with Kubernetes have an image of their own, and the others' has none of it", async () => {
  assert.notEqual(await imageFolder("plain"), await imageFolder("kubernetes"));
  for (const name of Object.keys(kubernetesPackages)) assert.ok(!(name in packages), name);
});
