import * as v from "valibot";
import type { Machine } from "../../src/site/site.ts";
import type { Lab } from "../folder.ts";
import { kubectl } from "./deployment.ts";

/** Where Services send their users. */

/** That of the API itself: pods call it, and its API servers say by themselves where they are. */
export const apiService = "kubernetes";

const slicesShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    items: v.array(
      v.object({
        endpoints: v.nullish(
          v.array(
            v.object({
              addresses: v.array(v.string()),
              nodeName: v.nullish(v.string()),
              conditions: v.optional(v.object({ ready: v.nullish(v.boolean()) }), {}),
            }),
          ),
        ),
      }),
    ),
  }),
);

/** Of each ready endpoint in a list of EndpointSlices the machine: by its name, which API servers leave out, else by its address. */
export const readyOn = (
  slices: string,
  machines: readonly Pick<Machine, "name" | "addresses">[],
): readonly string[] =>
  v.parse(slicesShape, slices).items.flatMap(({ endpoints }) =>
    // A slice that does not say counts as ready: so says the API's own description.
    (endpoints ?? []).flatMap(({ addresses: [address = ""], nodeName, conditions }) =>
      conditions.ready === false
        ? []
        : [nodeName ?? machines.find(({ addresses }) => addresses.includes(address))?.name ?? address],
    ),
  );

/** Undefined: the API does not tell. */
export async function endpointsOn(lab: Lab, service: string): Promise<readonly string[] | undefined> {
  const selector = `--selector=kubernetes.io/service-name=${service}`;
  const { status, stdout } = await kubectl(lab, "get", "endpointslices", selector, "--output=json");
  return status === 0 ? readyOn(stdout, lab.site.machines) : undefined;
}
