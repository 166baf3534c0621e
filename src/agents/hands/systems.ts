import { join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import type { KnownSystem } from "../../redfish/client.ts";
import { bootKnown, type Known, ownKnown } from "./known.ts";

const path = v.pipe(v.string(), v.startsWith("/"));
const shape = v.object({
  path,
  reset: v.exactOptional(v.object({ target: path, types: v.exactOptional(v.array(v.string())) })),
});

/** Where the Systems of the site's BMCs were found, by the BMC's URL. */
export type Systems = Known<KnownSystem>;

/** For one process alone. */
export const ownSystems = (): Systems => ownKnown();

export const bootSystems = (folder: string = paths.run): Systems =>
  bootKnown<KnownSystem>(join(folder, "bmc-systems"), shape);
