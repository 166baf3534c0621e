import { unheldAddress } from "../../render/api-address.ts";
import { notYet } from "../../render/not-yet.ts";
import type { Site } from "../../site/site.ts";
import { type Finding, fromProblem } from "./finding.ts";

/** What can be said of a valid site without looking at the world: what this version can't render, and what would do nothing. */
export function checkSite(site: Site): readonly Finding[] {
  return [
    ...notYet(site).map((problem) => fromProblem(problem.subject, "render", problem, "warn")),
    ...unheldAddress(site).map((problem) => fromProblem("site", "API's address", problem, "warn")),
  ];
}
