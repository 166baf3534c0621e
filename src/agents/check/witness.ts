import type { Site } from "../../site/site.ts";
import { needsHuman, testOf, type TagTests } from "../hands/witness.ts";
import { apart, apartFix } from "../status/wrong-witness.ts";
import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

interface Asked {
  readonly name: string;
  readonly witness?: ProbeReport["witness"];
  readonly says?: ProbeReport["says"];
}

const subject = "site";
const check = "starting alone";

/** May a machine that comes back alone start by itself? As the machines know it; nothing where none could be asked. */
export function judgeWitness(file: Site, asked: readonly Asked[]): readonly Finding[] {
  const words = asked.flatMap(({ name, says }) => (says === undefined ? [] : [{ name, ...says }]));
  // The machines go by their own files, and not by the one that this is asked with.
  const site = { ...file, witness: words[0]?.witness ?? file.witness };
  const differ = [...judgeWords(words), ...(site.witness === file.witness ? [] : [otherFile(site, file)])];
  return differ.length > 0
    ? differ
    : judgeTests(
        site,
        asked,
        words.some(({ apart }) => apart),
      );
}

function judgeWords(words: readonly { readonly name: string; readonly witness: Site["witness"] }[]) {
  const [one, other] = words;
  if (one === undefined || other === undefined || one.witness === other.witness) return [];
  const detail = apart(one.name, one.witness, other.name, other.witness);
  return [{ subject, check, mark: "fail", detail, fix: apartFix, code: "DUET-E-WITNESS-APART" } as const];
}

const otherFile = (machines: Pick<Site, "witness">, file: Pick<Site, "witness">): Finding => ({
  subject,
  check,
  mark: "warn",
  detail: `this site file says \`witness: ${file.witness}\`, and those on the machines \`witness: ${machines.witness}\`, which is what they go by`,
  fix: "write here what stands there, or there what stands here, on both machines",
});

function judgeTests(site: Site, asked: readonly Asked[], isApart: boolean): readonly Finding[] {
  if (site.witness === "off")
    return [{ subject, check, mark: "note", detail: needsHuman(site, {}) ?? "bug: no reason" }];
  const told = asked.flatMap(({ name, witness }) => (witness === undefined ? [] : [{ name, witness }]));
  const [first, second] = told;
  if (first === undefined) return [];
  const unlike =
    second === undefined
      ? undefined
      : site.machines.find(({ name }) => resultOf(site, first, name) !== resultOf(site, second, name));
  if (unlike !== undefined && second !== undefined)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: `${first.name} and ${second.name} do not know the same of the BMC of ${unlike.name}`,
        fix: `\`duet setup\` on ${first.name} and on ${second.name}: each then takes the later test`,
      },
    ];
  if (isApart)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: needsHuman(site, first.witness, isApart) ?? "bug: no reason",
        fix: "bring both machines to 1+1: then it is over by itself",
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
