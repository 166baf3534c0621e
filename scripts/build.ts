import { relative } from "node:path";
import { buildDuet } from "../lab/build.ts";

process.stdout.write(`${relative(process.cwd(), await buildDuet())}\n`);
