import * as v from "valibot";
import type { Problem } from "../base/problem.ts";
import { checkKeys } from "./keys.ts";
import { siteSchema, type WrittenSite } from "./schema.ts";
import { sentences } from "./sentences.ts";
import type { Path, Source } from "./source.ts";

/** Every value that has the wrong form, every key that is missing or not known. The site only where all is right. */
export function checkShape(source: Source): { written?: WrittenSite; problems: readonly Problem[] } {
  const keys = checkKeys(source);
  const parsed = v.safeParse(siteSchema, source.data, { abortPipeEarly: true });
  const problems = [...keys.problems];
  for (const { issue, path } of (parsed.issues ?? []).flatMap(unfolded)) {
    if (issue.expected === "never" || isExplained(path, keys.explained)) continue;
    const missing = issue.kind === "schema" && issue.path?.at(-1)?.origin === "key";
    problems.push(missing ? missingProblem(source, path) : formProblem(source, path, issue.message));
  }
  return parsed.success && problems.length === 0 ? { written: parsed.output, problems } : { problems };
}

interface Found {
  readonly issue: v.BaseIssue<unknown>;
  readonly path: Path;
}

const pathOf = ({ path }: v.BaseIssue<unknown>): Path =>
  (path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));

/**
 * Where one thing or a list of it may stand, valibot says only that it is neither. What is meant is seen from what is written: so the
 * faults in it are told, each at its place.
 */
function unfolded(issue: v.BaseIssue<unknown>): readonly Found[] {
  const path = pathOf(issue);
  const wanted = Array.isArray(issue.input) ? "number" : "string";
  const inner = (issue.issues ?? []).filter((each) => typeof pathOf(each)[0] === wanted);
  if (inner.length === 0) return [{ issue, path }];
  return inner.map((each) => ({ issue: each, path: [...path, ...pathOf(each)] }));
}

function isExplained(path: Path, explained: ReadonlySet<string>): boolean {
  // Every beginning of the path, the empty one and the whole one too.
  return [...path, ""].some((_, length) => explained.has(JSON.stringify(path.slice(0, length))));
}

function missingProblem(source: Source, path: Path): Problem {
  const key = path.at(-1);
  const parent = path.at(-2);
  const listed = path.at(-3) === "pdu" ? "this outlet" : "this machine";
  const inside = typeof parent === "number" ? listed : parent === undefined ? "the file" : `\`${parent}\``;
  return {
    code: "DUET-E-SITE-MISSING-KEY",
    where: source.where(path.slice(0, -1), "key"),
    what: `\`${key}\` is missing: ${inside} must have it`,
    fix: `add \`${key}:\`${example(String(key))}`,
  };
}

function example(key: string): string {
  const examples: Readonly<Record<string, string>> = {
    name: " with a name such as node1",
    topology: " dual-replica",
    ssh_key: " with the file of a public key, such as admin.pub",
    machines: " and below it each machine, begun with `- name:`",
    addresses: " [192.0.2.11] with the machine's own address",
    bmc: " and below it `address:` and `credentials:`",
    address: " with the address, such as 192.0.2.10 or https://203.0.113.11",
    credentials: " { file: node1.bmc }",
    to: " with a mail address, such as ops@example.org",
    outlet: " with a path such as /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A1",
  };
  return examples[key] ?? "";
}

function formProblem(source: Source, path: Path, key: string): Problem {
  // Never `key` itself where it is no key of ours: it would be valibot's message, which quotes the file.
  const sentence = sentences[key] ?? {
    code: "DUET-E-SITE-TYPE",
    what: "this has the wrong form",
    fix: "see docs/site.md for what may stand here",
  };
  return { code: sentence.code, where: source.where(path), what: sentence.what, fix: sentence.fix };
}
