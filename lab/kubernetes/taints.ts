import * as v from "valibot";
import { outOfService } from "../../src/agents/api/taint.ts";
import type { Lab } from "../folder.ts";
import { kubectl } from "./deployment.ts";

const nodesShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    items: v.array(
      v.object({
        metadata: v.object({ name: v.string() }),
        spec: v.object({ taints: v.nullish(v.array(v.object({ key: v.string() }))) }),
      }),
    ),
  }),
);

/** Of a list of Nodes those that somebody has marked, with whatever value. */
export const marked = (nodes: string): readonly string[] =>
  v
    .parse(nodesShape, nodes)
    .items.flatMap(({ metadata, spec }) =>
      (spec.taints ?? []).some(({ key }) => key === outOfService.key) ? [metadata.name] : [],
    );

/** Undefined: the API does not tell. */
export async function outOfServiceNow(lab: Lab): Promise<readonly string[] | undefined> {
  const { status, stdout } = await kubectl(lab, "get", "nodes", "--output=json");
  return status === 0 ? marked(stdout) : undefined;
}
