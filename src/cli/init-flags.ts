import type { Problem } from "../base/problem.ts";
import { nearest, oneOf } from "../base/text.ts";
import { type FieldName, fieldFault } from "../site/field.ts";
import type { Answers, MachineAnswers } from "../site/template.ts";

export interface InitFlags {
  readonly name?: string;
  readonly topology?: string;
  readonly sshKey?: readonly string[];
  readonly machine?: readonly string[];
  readonly api?: string;
}

export const topology_default = "dual-replica";
const machineExample = (number: number): string =>
  `name=node${number},address=192.0.2.1${number},bmc=https://203.0.113.1${number},credentials-file=node${number}.bmc`;

export const hasFlags = (flags: InitFlags): boolean =>
  [flags.name, flags.topology, flags.sshKey, flags.machine, flags.api].some((flag) => flag !== undefined);

/** The answers that the flags give, or all that is missing or wrong about them. */
export function readFlags(flags: InitFlags): { answers?: Answers; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const topology = flags.topology ?? topology_default;
  const wanted = topology === "single" ? 1 : 2;
  const specs = flags.machine ?? [];
  const ssh_keys = flags.sshKey ?? [];
  if (flags.name === undefined) problems.push(missing("--name", "the site's name", "--name shop-0042"));
  if (ssh_keys.length === 0)
    problems.push(missing("--ssh-key", "the file of a public key", "--ssh-key admin.pub"));
  for (let index = specs.length; index < wanted; index++)
    problems.push(
      missing("--machine", `machine ${index + 1} of ${wanted}`, `--machine ${machineExample(index + 1)}`),
    );
  problems.push(
    ...(flags.name === undefined ? [] : faults("--name", "name", [flags.name])),
    ...faults("--topology", "topology", [topology]),
    ...faults("--ssh-key", "path", ssh_keys),
    ...(flags.api === undefined ? [] : faults("--api", "address", [flags.api])),
  );
  const machines = specs.map((spec, index) => readMachine(spec, `--machine ${index + 1}`, problems));
  if (problems.length > 0 || flags.name === undefined) return { problems };
  const complete = machines.filter((machine) => machine !== undefined);
  const api = flags.api === undefined ? {} : { api: flags.api };
  return { answers: { name: flags.name, topology, ssh_keys, machines: complete, ...api }, problems };
}

function faults(where: string, field: FieldName, values: readonly string[]): readonly Problem[] {
  return values.flatMap((value) => {
    const fault = fieldFault(field, value);
    return fault === undefined ? [] : [{ code: fault.code, where, what: fault.what, fix: fault.fix }];
  });
}

function missing(where: string, what: string, example: string): Problem {
  return { code: "DUET-E-INIT-FLAGS", where, what: `missing: ${what}`, fix: `add ${example}` };
}

const spec_fields: Readonly<Record<string, FieldName>> = {
  name: "name",
  address: "address",
  bmc: "endpoint",
  "credentials-file": "path",
  "credentials-env": "env",
  ca: "path",
  fingerprint: "fingerprint",
};

/** One `--machine`. What is wrong is added to `problems`; a value is never repeated there, it may hold a password. */
function readMachine(spec: string, where: string, problems: Problem[]): MachineAnswers | undefined {
  const found = new Map<string, string[]>();
  const before = problems.length;
  for (const part of spec.split(",")) {
    const equals = part.indexOf("=");
    const key = equals === -1 ? "" : part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    const field = Object.hasOwn(spec_fields, key) ? spec_fields[key] : undefined;
    if (field === undefined) problems.push(unknownPart(where, key));
    else {
      problems.push(...faults(`${where} ${key}`, field, [value]));
      found.set(key, [...(found.get(key) ?? []), value]);
    }
  }
  const once = (key: string) => {
    const values = found.get(key) ?? [];
    if (values.length > 1)
      problems.push({
        code: "DUET-E-INIT-FLAGS",
        where,
        what: `\`${key}\` is there twice`,
        fix: "keep one of the two",
      });
    return values[0];
  };
  const [name, bmc, file, env, ca, fingerprint] = [
    "name",
    "bmc",
    "credentials-file",
    "credentials-env",
    "ca",
    "fingerprint",
  ].map(once);
  const addresses = found.get("address") ?? [];
  if (name === undefined) problems.push(missing(where, "name", "name=node1"));
  if (addresses.length === 0) problems.push(missing(where, "address", "address=192.0.2.11"));
  if (bmc === undefined) problems.push(missing(where, "bmc", "bmc=https://203.0.113.11"));
  if ((file === undefined) === (env === undefined))
    problems.push(
      missing(where, "exactly one of credentials-file and credentials-env", "credentials-file=node1.bmc"),
    );
  if (ca !== undefined && fingerprint !== undefined)
    problems.push({
      code: "DUET-E-INIT-FLAGS",
      where,
      what: "`ca` and `fingerprint` both say which certificate to believe",
      fix: "keep `ca`",
    });
  if (problems.length > before || name === undefined || bmc === undefined) return undefined;
  const credentials = file === undefined ? { env: env ?? "" } : { file };
  return { name, addresses, bmc, credentials, ...trustOf(ca, fingerprint) };
}

function trustOf(ca: string | undefined, fingerprint: string | undefined): Pick<MachineAnswers, "trust"> {
  if (ca !== undefined) return { trust: { ca } };
  return fingerprint === undefined ? {} : { trust: { fingerprint } };
}

function unknownPart(where: string, key: string): Problem {
  const known = Object.keys(spec_fields);
  const near = nearest(key, known);
  return {
    code: "DUET-E-INIT-FLAGS",
    where,
    what:
      near === undefined
        ? "a part of this is not key=value with a known key"
        : `\`${key}\` is not known here`,
    fix:
      near === undefined ? `write ${oneOf(known)}, as in ${machineExample(1)}` : `did you mean \`${near}\`?`,
  };
}
