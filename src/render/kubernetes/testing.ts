import assert from "node:assert/strict";
import { readSite } from "../../site/read.ts";
import { controlPlane } from "../../site/samples.ts";
import type { Machine } from "../../site/site.ts";
import { hasKubernetes, type KubernetesSite } from "./names.ts";

/** For tests: a site with a control plane, and its two machines. */
export function controlPlaneSite(text: string = controlPlane): {
  readonly site: KubernetesSite;
  readonly node1: Machine;
  readonly node2: Machine;
} {
  const { site, problems } = readSite(text, "site.yaml");
  assert.ok(site !== undefined && hasKubernetes(site), JSON.stringify(problems));
  const [node1, node2] = site.machines;
  assert.ok(node1 !== undefined && node2 !== undefined);
  return { site, node1, node2 };
}
