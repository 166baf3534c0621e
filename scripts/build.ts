import { relative } from "node:path";
import { buildDuet } from "../lab/build.ts";
import { isCalledBare } from "./no-words.ts";

if (isCalledBare("npm run build\n  builds dist/duet, and says where it is"))
  process.stdout.write(`${relative(process.cwd(), await buildDuet())}\n`);
