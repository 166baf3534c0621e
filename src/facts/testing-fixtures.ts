import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import * as v from "valibot";
import type { FileSet } from "./testing.ts";

/** For tests: small WALs of real etcds, recorded by lab/etcd36/record.ts with what etcd's own packages read in them. */

const configuration = v.object({
  voters: v.array(v.string()),
  learners: v.array(v.string()),
  removed: v.array(v.string()),
});
const point = v.object({ index: v.number(), term: v.number() });
const shape = v.object({
  about: v.string(),
  oracle: v.object({
    clusterId: v.string(),
    memberId: v.string(),
    term: v.number(),
    vote: v.string(),
    commit: v.number(),
    snapshot: v.nullable(point),
    last: point,
    whole: configuration,
  }),
  files: v.record(v.string(), v.string()),
});

export interface Fixture {
  readonly name: string;
  readonly about: string;
  readonly oracle: v.InferOutput<typeof shape>["oracle"];
  readonly files: FileSet;
}

export function fixtures(): readonly Fixture[] {
  const folder = join(import.meta.dirname, "fixtures");
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const { about, oracle, files } = v.parse(shape, JSON.parse(readFileSync(join(folder, file), "utf8")));
      const inflated = Object.entries(files).map(
        ([name, text]) => [name, new Uint8Array(inflateSync(Buffer.from(text, "base64")))] as const,
      );
      return { name: file.replace(/\.json$/, ""), about, oracle, files: new Map(inflated) };
    });
}
