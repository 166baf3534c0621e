import type { Site } from "../../site/site.ts";
import { needsHuman, testOf, type TagTests } from "../hands/witness.ts";
import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

interface Asked {
  readonly name: string;
  readonly witness?: ProbeReport["witness"];
}

const subject = "site";
const check = "starting alone";

/** May a machine that comes back alone start by itself? As the machines know it; nothing where none could be asked. */
export function judgeWitness(site: Site, asked: readonly Asked[]): readonly Finding[] {
  if (site.witness === "off")
    return [{ subject, check, mark: "note", detail: needsHuman(site, {}) ?? "bug: no reason" }];
  const told = asked.flatMap(({ name, witness }) => (witness === undefined ? [] : [{ name, witness }]));
  const [first, second] = told;
  if (first === undefined) return [];
  const apart =
    second === undefined
      ? undefined
      : site.machines.find(({ name }) => resultOf(site, first, name) !== resultOf(site, second, name));
  if (apart !== undefined && second !== undefined)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: `${first.name} and ${second.name} do not know the same of the BMC of ${apart.name}`,
        fix: `\`duet setup\` on ${first.name} and on ${second.name}: each then takes the later test`,
      },
    ];
  const human = needsHuman(site, first.witness);
  if (human !== undefined)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: human,
        fix: "`duet setup --witness-test` on both machines tests them anew, best after new firmware; until both hold, a machine that comes back alone waits for its peer or for you",
      },
    ];
  const [oldest = ""] = site.machines
    .map(({ name }) => testOf(site, first.witness, name)?.at ?? "")
    .toSorted();
  return [
    {
      subject,
      check,
      mark: "ok",
      detail: `both BMCs keep their tag over a reset (tested ${oldest.slice(0, 10)}); over a loss of their own power was not tested`,
    },
  ];
}

const resultOf = (site: Site, { witness }: { readonly witness: TagTests }, name: string): string => {
  const test = testOf(site, witness, name);
  return test === undefined ? "" : `${test.result} ${test.at}`;
};
