import { dirname } from "node:path";
import { isSea } from "node:sea";
import { exit, fail } from "../src/base/problem.ts";

/** The folder of the checkout that this runs from. The lab and the build need its files; the executable has none of them. */
export function checkoutFolder(): string {
  if (isSea())
    fail(
      "DUET-E-LAB-NEEDS-CHECKOUT",
      "duet lab",
      "runs only from a checkout of duet, not from the single executable",
      "clone the repository and run ./duet lab there",
      exit.notHere,
    );
  return dirname(import.meta.dirname);
}
