import type { Problem } from "../base/problem.ts";
import type { Site } from "../site/site.ts";

/** What is valid in a site file, and what this version can't render. */
export function notYet(site: Site): readonly (Problem & { readonly subject: string })[] {
  if (site.topology === "dual-replica") return [];
  return [
    {
      subject: "site",
      code: "DUET-E-NOT-YET",
      where: `topology ${site.topology}`,
      what: "the file is valid, but duet can't render this topology yet",
      fix: "only `topology: dual-replica` can be rendered in this version",
    },
  ];
}
