import { nearest, oneOf } from "../base/text.ts";
import { type BmcTimes, fence_agents, type Header, type WorldName, world_names } from "./scenario.ts";
import { type MachineName, machine_names, slots, squeeze } from "./slots.ts";

/** The lines above the steps: which worlds, whether for CI, and what the site is like. */

export type Setting = {
  readonly [K in "worlds" | "ci" | "pdu" | "fencing" | "kubernetes" | "address" | "escalate"]?: Header[K];
} & {
  /** Of both BMCs, and of one alone. */
  readonly [K in "bmc" | `bmc of ${MachineName}`]?: BmcTimes;
};

interface Key {
  readonly say: string;
  readonly means: string;
  /** What the line sets and how it is written, or what is wrong with it. `of`: whom it is about, where its key says that. */
  readonly read: (value: string, of: string) => Read;
}
type Read =
  | { readonly ok: true; readonly set: Setting; readonly text: string }
  | { readonly ok: false; readonly what: string; readonly fix: string };

const bmcTimes_default: BmcTimes = { off_ms: 1000, on_ms: 1000 };

/** What is said of one BMC alone comes before what is said of both. */
export const bmcsOf = (said: Setting): Header["bmc"] => ({
  node1: said["bmc of node1"] ?? said.bmc ?? bmcTimes_default,
  node2: said["bmc of node2"] ?? said.bmc ?? bmcTimes_default,
});

export const bmc_default: Header["bmc"] = bmcsOf({});

/** What has to do for both, such as a fence's deadline, goes by this. */
export const slowest = ({ node1, node2 }: Header["bmc"]): BmcTimes => ({
  off_ms: Math.max(node1.off_ms, node2.off_ms),
  on_ms: Math.max(node1.on_ms, node2.on_ms),
});

export const keys: Readonly<Record<string, Key>> = {
  worlds: {
    say: "worlds: sim, lab",
    means: "Where the file can run: the simulator, the lab, or both. Left out: both.",
    read: readWorlds,
  },
  ci: { say: "ci", means: "`npm test` runs it too.", read: (value) => flag("ci", value, { ci: true }) },
  pdu: {
    say: "pdu",
    means: "Each machine hangs on an outlet of a power distribution unit, the second way to prove Off.",
    read: (value) => flag("pdu", value, { pdu: true }),
  },
  bmc: {
    say: "bmc: off 1 second, on 1 second",
    means: "How long the BMCs take to power off and on. Left out: as written here.",
    read: readBmc,
  },
  "bmc of": {
    say: "bmc of node2: off 6 seconds, on 46 seconds",
    means: "The same for the BMC of `node1` or `node2` alone. Left out: as said of both.",
    read: readBmc,
  },
  fencing: {
    say: "fencing: fence_duet",
    means: "The site's fence agent: duet's own, or the stock `fence_redfish`. Left out: as written here.",
    read: readFencing,
  },
  kubernetes: {
    say: "kubernetes",
    means:
      "The site has a control plane of Kubernetes, and a virtual IP for its API; `kubernetes: without address`: it has none. Only in the lab.",
    read: readKubernetes,
  },
  escalate: {
    say: "escalate",
    means:
      "The site says `stop_failure: fence`: what can't be stopped has its machine fenced. Only in the lab.",
    read: (value) => flag("escalate", value, { escalate: true }),
  },
};

/** A header line's key and value; undefined for what is a step. */
export function headerLine(line: string): { readonly key: string; readonly value: string } | undefined {
  const found = /^\s*([a-z]+(?:\s+of\s+\w+)?)\s*(?::\s*(.*?))?\s*$/i.exec(line);
  const key = squeeze(found?.[1]?.toLowerCase() ?? "");
  // A word with a colon can only be a key, also with `of` whom: `at the removal: …` has more words before it.
  if (found === null || (found[2] === undefined && !Object.hasOwn(keys, key))) return undefined;
  return { key, value: found[2] ?? "" };
}

export function readHeaderLine(key: string, value: string): Read {
  const [, name = key, of = ""] = /^(\w+ of) (.*)$/.exec(key) ?? [];
  const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (known !== undefined) return known.read(squeeze(value), of);
  const meant = nearest(key, Object.keys(keys));
  return {
    ok: false,
    what: `\`${key}\` is not known at the head of a scenario`,
    fix: meant === undefined ? `write one of: ${Object.keys(keys).join(", ")}` : `did you mean \`${meant}\`?`,
  };
}

const isWorld = (word: string): word is WorldName => world_names.some((name) => name === word);

function readWorlds(value: string): Read {
  const words = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const wrong = words.find((word) => !isWorld(word));
  if (words.length === 0 || wrong !== undefined)
    return {
      ok: false,
      what:
        wrong === undefined ? "no world is named" : `\`${wrong}\` is no world; it is ${oneOf(world_names)}`,
      fix: "write `worlds: sim, lab`, or one of the two",
    };
  const worlds = world_names.filter((name) => words.includes(name));
  return { ok: true, set: { worlds }, text: `worlds: ${worlds.join(", ")}` };
}

function flag(name: string, value: string, set: Setting): Read {
  return value === ""
    ? { ok: true, set, text: name }
    : {
        ok: false,
        what: `\`${name}\` stands alone`,
        fix: `write \`${name}\` without a value, or leave it out`,
      };
}

const bmcPattern = new RegExp(`^off (${slots.DURATION.source}),? on (${slots.DURATION.source})$`, "i");

function readBmc(value: string, of: string): Read {
  const machine = machine_names.find((name) => name === of);
  if (of !== "" && machine === undefined)
    return {
      ok: false,
      what: `\`${of}\` has no BMC`,
      fix: `write \`bmc of ${machine_names[0]}: …\`, or \`bmc of ${machine_names[1]}: …\``,
    };
  const [, off = "", on = ""] = bmcPattern.exec(value) ?? [];
  const [off_ms, on_ms] = [slots.DURATION.read(off), slots.DURATION.read(on)];
  const key = machine === undefined ? "bmc" : (`bmc of ${machine}` as const);
  if (typeof off_ms !== "number" || typeof on_ms !== "number")
    return {
      ok: false,
      what: "the BMCs' times are a time for off and one for on",
      fix: `write \`${key}: off 6 seconds, on 46 seconds\``,
    };
  const { tidy } = slots.DURATION;
  return { ok: true, set: { [key]: { off_ms, on_ms } }, text: `${key}: off ${tidy(off)}, on ${tidy(on)}` };
}

const without = "without address";

function readKubernetes(value: string): Read {
  const isWithout = value.toLowerCase() === without;
  if (value === "" || isWithout)
    return {
      ok: true,
      set: { kubernetes: true, address: !isWithout },
      text: isWithout ? `kubernetes: ${without}` : "kubernetes",
    };
  return {
    ok: false,
    what: `\`kubernetes\` stands alone, or says \`${without}\``,
    fix: `write \`kubernetes\`, or \`kubernetes: ${without}\``,
  };
}

function readFencing(value: string): Read {
  const fencing = fence_agents.find((agent) => agent === value.toLowerCase());
  return fencing === undefined
    ? {
        ok: false,
        what: `\`${value}\` is no fence agent; it is ${oneOf(fence_agents)}`,
        fix: "write `fencing: fence_redfish`, or leave it out",
      }
    : { ok: true, set: { fencing }, text: `fencing: ${fencing}` };
}
