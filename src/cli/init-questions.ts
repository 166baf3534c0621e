import { createInterface } from "node:readline/promises";
import { canonicalAddress, family, parseEndpoint, urlOf } from "../site/address.ts";
import { links_max } from "../site/defaults.ts";
import { type FieldName, fieldFault } from "../site/field.ts";
import type { Answers, MachineAnswers } from "../site/template.ts";
import { topology_default } from "./init-flags.ts";

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export interface Suggestions {
  readonly name: string;
  readonly ssh_key: string;
}

/** A reason why an answer can't be taken, or undefined. */
type Objection = (answer: string) => string | undefined;
type Ask = (question: string, suggestion: string, object: Objection) => Promise<string>;

/** Asks for a site, each answer checked at once and asked for again. undefined: the terminal was closed on us. */
export async function askForSite(terminal: Terminal, suggestions: Suggestions): Promise<Answers | undefined> {
  const lines = createInterface({ ...terminal });
  const closed = new AbortController();
  // Without this a question that nobody will answer stays open for ever, and the program ends as if all were well.
  lines.once("close", () => {
    closed.abort();
  });
  const ask: Ask = async (question, suggestion, object) => {
    const prompt = `${question}${suggestion && ` [${suggestion}]`}: `;
    for (;;) {
      const answer = (await lines.question(prompt, { signal: closed.signal })).trim() || suggestion;
      const objection = object(answer);
      if (objection === undefined) return answer;
      terminal.output.write(`  ${objection}\n`);
    }
  };
  try {
    return await askAll(ask, terminal.output, suggestions);
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}

async function askAll(ask: Ask, output: NodeJS.WritableStream, suggestions: Suggestions): Promise<Answers> {
  const name = await ask("Name of the site", suggestions.name, fault("name"));
  const topology = await ask("Topology (dual-replica, pair, single)", topology_default, fault("topology"));
  const key = await ask("File of the public ssh key that may log in", suggestions.ssh_key, fault("path"));
  const machines: MachineAnswers[] = [];
  const used = new Set<string>();
  for (let number = 1; number <= (topology === "single" ? 1 : 2); number++) {
    output.write(`\nMachine ${number}\n`);
    machines.push(await askForMachine(ask, number, machines, used));
  }
  output.write("\n");
  const api = await ask("Virtual IP for the API (empty: none)", "", (answer) =>
    answer === ""
      ? undefined
      : (fault("address")(answer) ?? usedFault(canonicalAddress(answer) ?? answer, used)),
  );
  return { name, topology, ssh_keys: [key], machines, ...(api === "" ? {} : { api }) };
}

async function askForMachine(
  ask: Ask,
  number: number,
  earlier: readonly MachineAnswers[],
  used: Set<string>,
): Promise<MachineAnswers> {
  const name = await ask(
    "  Name",
    `node${number}`,
    both("name", (answer) => usedFault(answer, used)),
  );
  used.add(name);
  const first = earlier[0]?.addresses;
  const list = await ask("  Addresses, one per link (one or two)", "", (answer) =>
    addressesFault(words(answer), first, used),
  );
  const addresses = words(list);
  for (const address of addresses) used.add(canonicalAddress(address) ?? address);
  const bmc = await ask(
    "  Address of its BMC",
    "",
    both("endpoint", (answer) => bmcFault(answer, used)),
  );
  const endpoint = parseEndpoint(bmc);
  if (endpoint !== undefined) {
    used.add(urlOf(endpoint));
    used.add(endpoint.host);
  }
  const file = await ask("  File with the BMC's username:password", `${name}.bmc`, fault("path"));
  return { name, addresses, bmc, credentials: { file } };
}

const words = (answer: string): readonly string[] => answer.split(/[\s,]+/).filter((word) => word !== "");

function fault(field: FieldName): Objection {
  return (answer) => {
    const found = fieldFault(field, answer);
    return found === undefined ? undefined : `${found.what}; ${found.fix}`;
  };
}

function both(field: FieldName, further: Objection): Objection {
  return (answer) => fault(field)(answer) ?? further(answer);
}

function usedFault(value: string, used: ReadonlySet<string>): string | undefined {
  return used.has(value) ? "this is already used in this site; write another" : undefined;
}

function bmcFault(answer: string, used: ReadonlySet<string>): string | undefined {
  const endpoint = parseEndpoint(answer);
  if (endpoint === undefined) return undefined;
  // One address with two ports may be two BMCs; one with an address that a machine has may not.
  const own = [...used].some(
    (each) => each.startsWith("https://") && parseEndpoint(each)?.host === endpoint.host,
  );
  return usedFault(urlOf(endpoint), used) ?? (own ? undefined : usedFault(endpoint.host, used));
}

function addressesFault(
  answers: readonly string[],
  first: readonly string[] | undefined,
  used: ReadonlySet<string>,
): string | undefined {
  if (answers.length === 0 || answers.length > links_max)
    return "write one or two addresses, with a blank between";
  if (first !== undefined && answers.length !== first.length)
    return `write ${first.length}, as for the first machine`;
  const seen = new Set(used);
  for (const [link, answer] of answers.entries()) {
    const address = canonicalAddress(answer) ?? answer;
    const found = fault("address")(answer) ?? usedFault(address, seen);
    if (found !== undefined) return found;
    seen.add(address);
    const peer = first?.[link];
    if (peer !== undefined && family(peer) !== family(address))
      return `link ${link + 1} is IPv${family(peer)} on the first machine; write an IPv${family(peer)} address`;
  }
  return undefined;
}
