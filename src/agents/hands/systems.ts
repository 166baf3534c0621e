import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import type { KnownSystem } from "../../redfish/client.ts";

const path = v.pipe(v.string(), v.startsWith("/"));
const shape = v.record(
  v.string(),
  v.object({
    path,
    reset: v.optional(v.object({ target: path, types: v.optional(v.array(v.string())) })),
  }),
);
type Kept = v.InferOutput<typeof shape>;

/** Where the Systems of the site's BMCs were found, by the BMC's URL. */
export interface Systems {
  readonly of: (url: string) => KnownSystem | undefined;
  readonly note: (url: string, system: KnownSystem) => void;
}

/** For one process alone. */
export function ownSystems(): Systems {
  const found = new Map<string, KnownSystem>();
  return { of: (url) => found.get(url), note: (url, system) => void found.set(url, system) };
}

/**
 * For all of duet's short lives of one boot: to look for a System costs two calls more, which a slow BMC makes long, and to be
 * commanded at once it must be known by what. Nothing secret is in it, and nothing that must be true: what is not there any more
 * is looked for anew. So nobody waits for a lock, and of two who write at once one is forgotten.
 */
export function bootSystems(folder: string = paths.run): Systems {
  const file = join(folder, "bmc-systems");
  const read = (): Kept => {
    try {
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), readFileSync(file, "utf8"));
      return parsed.success ? parsed.output : {};
    } catch {
      return {};
    }
  };
  return {
    of: (url) => {
      const kept = read()[url];
      return kept === undefined ? undefined : systemOf(kept);
    },
    note: (url, system) => {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        const beside = `${file}.${process.pid}`;
        writeFileSync(beside, JSON.stringify({ ...read(), [url]: system }), { mode: 0o600 });
        renameSync(beside, file);
      } catch {
        // Then it is looked for again next time.
      }
    },
  };
}

const systemOf = ({ path: at, reset }: Kept[string]): KnownSystem => ({
  path: at,
  ...(reset === undefined
    ? {}
    : { reset: { target: reset.target, ...(reset.types === undefined ? {} : { types: reset.types }) } }),
});
