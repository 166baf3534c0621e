import { join } from "node:path";
import { toJsonSchema } from "@valibot/to-json-schema";
import { replaceSynced } from "../src/machine/files.ts";
import { siteSchema } from "../src/site/schema.ts";
import { isCalledBare } from "./no-words.ts";
import { checkout } from "./tree.ts";

/** The JSON Schema of the site file, for editors. It is made of the very schema that duet reads the file with. */
export const schema_path = join(checkout, "docs", "site.schema.json");

export function schemaText(): string {
  // Checks that are code (is this an IP address?) have no JSON Schema form; duet makes them itself.
  return `${JSON.stringify(toJsonSchema(siteSchema, { errorMode: "ignore", typeMode: "input" }), null, 2)}\n`;
}

if (import.meta.main && isCalledBare("npm run schema\n  writes docs/site.schema.json")) {
  await replaceSynced(schema_path, schemaText());
  process.stdout.write("docs/site.schema.json is written\n");
}
