import type { Problem } from "../base/problem.ts";
import type { Site } from "../site/site.ts";

const code = "DUET-E-NOT-YET";

/** What is valid in a site file, and what this version can't render. */
export function notYet(site: Site): readonly (Problem & { readonly subject: string })[] {
  const topology = {
    subject: "site",
    code,
    where: `topology ${site.topology}`,
    what: "the file is valid, but duet can't render this topology yet",
    fix: "only `topology: dual-replica` can be rendered in this version",
  };
  const pinned = site.machines.filter((m) => m.bmc.trust.by === "fingerprint");
  return [
    ...(site.topology === "dual-replica" ? [] : [topology]),
    ...pinned.map((m) => ({
      subject: m.name,
      code,
      where: `trust of ${m.name}'s BMC`,
      what: "a fingerprint is valid, but this version can't render it: the stock fence agent checks none",
      fix: "use `trust: { ca: FILE }` for now, with the BMC's own certificate if it is self-signed, else its authority's",
    })),
  ];
}
