/** The words of a step that vary. Each kind of slot knows how its values are written, and what each means to a world. */

export const machine_names = ["node1", "node2"] as const;
export type MachineName = (typeof machine_names)[number];

/** A part that a machine plays. Who plays it is known only when the step is due. */
export const roles = [
  "the leader",
  "the follower",
  "the controllers' leader",
  "the address's holder",
  "the survivor",
  "the peer",
] as const;
/** What an admin says may be lost. */
export type Loss = number | "unknown" | `${number},unknown`;
export type Role = (typeof roles)[number];
export type Who = MachineName | Role;

const wires = {
  "the wire between the machines": "links",
  "link 1": "link1",
  "link 2": "link2",
  "the management wire": "mgmt",
  everything: "everything",
} as const;
export type Wire = (typeof wires)[keyof typeof wires];

const links = { "no link": 0, "one link": 1, "both links": 2 } as const;

/** How a BMC misbehaves, as said aloud -> the lab's and the simulator's name of it. */
const faults = {
  "is unreachable": "unreachable",
  "hangs after connecting": "hang-after-connect",
  "hangs in TLS": "hang-in-tls",
  "answers byte by byte": "drip",
  "refuses the password": "unauthorized",
  "answers with errors": "server-error",
  "has no session left": "session-limit",
  lies: "lies",
  "only presses the power button": "graceful-off",
  "refuses to switch off what is off": "refuses-done",
  "shows a stale power state": "stale-power-state",
  "tells no power state": "no-power-state",
  "accepts and does nothing": "accepted-no-effect",
  "forgets its tag": "forgets-tag",
  "falls back to an older tag": "older-tag",
} as const;
export type BmcFault = (typeof faults)[keyof typeof faults];

const tags = {
  "no tag": "none",
  "the tag of another site": "other-site",
  "a tag of somebody else": "foreign",
} as const;

const units = {
  etcd: "etcd",
  corosync: "corosync",
  pacemaker: "pacemaker",
  kubelet: "kubelet",
  "CRI-O": "crio",
  "the API server": "apiserver",
} as const;

const moments = {
  "the promote entry": "promote",
  "the marker write": "marker",
  "the removal": "removal",
  "the tag write": "tag-write",
  "the intent": "intent",
  "the commit record": "commit-record",
  "the Off command": "off-command",
  "the quorum grant": "quorum-grant",
} as const;
export type Moment = (typeof moments)[keyof typeof moments];

/** By these a command of an admin's refuses, and what it was to say is not said. */
export const refusals = [
  "DUET-E-CONFIRM-REFUSED",
  "DUET-E-CONFIRM-STILL-ON",
  "DUET-E-CONFIRM-PEER-HERE",
  "DUET-E-CHOOSE-REFUSED",
  "DUET-E-ADMIN-CHANGED",
] as const;

type Meaning<T> = T[keyof T];

/** What a slot's text means, by the slot's name; `W` is whom a machine may be named by. */
export interface SlotValues<W> {
  readonly MACHINE: W;
  readonly WIRE: Wire;
  readonly LINKS: Meaning<typeof links>;
  readonly FAULT: BmcFault;
  readonly TAG: Meaning<typeof tags>;
  readonly UNIT: Meaning<typeof units>;
  readonly MOMENT: Moment;
  /** Milliseconds. */
  readonly DURATION: number;
  readonly NUMBER: number;
  readonly EPOCH: Loss;
  readonly CODE: (typeof refusals)[number];
  readonly TEXT: string;
}
export type SlotName = keyof SlotValues<Who>;
export type SlotValue = SlotValues<Who>[SlotName];

export interface Slot {
  /** One sentence for the reader of the table. */
  readonly what: string;
  /** How a value looks, for the parser: no groups that capture. */
  readonly source: string;
  /** Values that fit, for suggestions: all where there are few, else one. */
  readonly samples: readonly string[];
  /** The value, or why it is none. */
  readonly read: (text: string) => SlotValue | { readonly wrong: string };
  /** The one canonical way to write it. */
  readonly tidy: (text: string) => string;
}

const lower = (text: string): string => text.toLowerCase();
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** One of a few phrases. Longer ones first, so that none hides behind its own beginning. */
function choice(what: string, table: Readonly<Record<string, SlotValue>>): Slot {
  const phrases = Object.keys(table);
  const longest = phrases.toSorted((a, b) => b.length - a.length);
  const written = (text: string) => phrases.find((phrase) => lower(phrase) === lower(squeeze(text)));
  return {
    what: `${what}: ${phrases.map((phrase) => `\`${phrase}\``).join(", ")}`,
    source: longest.map((phrase) => escape(phrase).replaceAll(" ", "\\s+")).join("|"),
    samples: phrases,
    read: (text) => table[written(text) ?? ""] ?? { wrong: "not one of the words known here" },
    tidy: (text) => written(text) ?? text,
  };
}

/** One space wherever there are some. */
export const squeeze = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

const same = <T extends string>(words: readonly T[]): Readonly<Record<string, T>> =>
  Object.fromEntries(words.map((word) => [word, word]));

const unit_ms: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
};
const duration_ms_max = 24 * 3_600_000;
const number_max = 1_000_000;

const duration: Slot = {
  what: "a time, up to a day: `5 seconds`, `90 minutes`, `1 hour`, `200 milliseconds`",
  source: "\\d+\\s+(?:milliseconds?|seconds?|minutes?|hours?)",
  samples: ["5 seconds"],
  read: (text) => {
    const [count = "", unit = ""] = lower(squeeze(text)).split(" ");
    const ms = Number(count) * (unit_ms[unit.replace(/s$/, "")] ?? Number.NaN);
    return ms > 0 && ms <= duration_ms_max ? ms : { wrong: "a time is above 0 and up to 24 hours" };
  },
  tidy: (text) => {
    const [count = "", unit = ""] = lower(squeeze(text)).split(" ");
    return `${Number(count)} ${unit.replace(/s$/, "")}${Number(count) === 1 ? "" : "s"}`;
  },
};

const number: Slot = {
  what: "a whole number, from 1 to 1000000",
  source: "\\d+",
  samples: ["5"],
  read: (text) => {
    const value = Number(text);
    return value >= 1 && value <= number_max ? value : { wrong: `a number is from 1 to ${number_max}` };
  },
  tidy: (text) => String(Number(text)),
};

const epoch: Slot = {
  what: "the number of an epoch, `unknown`, or both: `2,unknown`",
  source: "\\d+,unknown|\\d+|unknown",
  samples: ["2", "unknown", "2,unknown"],
  read: (text) => {
    const [named = "", ...more] = lower(text).split(",");
    if (named === "unknown") return named;
    const epoch = number.read(named);
    return more.length === 0 || typeof epoch !== "number" ? epoch : `${epoch},unknown`;
  },
  tidy: (text) => {
    const [named = "", ...more] = lower(text).split(",");
    return named === "unknown" ? named : [number.tidy(named), ...more].join(",");
  },
};

const text: Slot = {
  what: 'words in double quotes that must stand in what is said: `"the peer is On"`',
  source: '"[^"]+"',
  samples: ['"…"'],
  read: (quoted) => quoted.slice(1, -1),
  tidy: (quoted) => quoted,
};

export const slots: Readonly<Record<SlotName, Slot>> = {
  MACHINE: choice("a machine", { ...same(machine_names), ...same(roles) }),
  WIRE: choice("a wire", wires),
  LINKS: choice("a number of links", links),
  FAULT: choice("something that a BMC or PDU does wrong", faults),
  TAG: choice("something that may stand in a BMC's asset tag", tags),
  UNIT: choice("a program", units),
  MOMENT: choice("a moment known by what is written or sent then", moments),
  DURATION: duration,
  NUMBER: number,
  EPOCH: epoch,
  CODE: choice("a code by which a command of an admin's refuses", same(refusals)),
  TEXT: text,
};

export const isSlotName = (word: string): word is SlotName => Object.hasOwn(slots, word);
export const isRole = (who: Who): who is Role => !(who === "node1" || who === "node2");
export const otherThan = (name: MachineName): MachineName => (name === "node1" ? "node2" : "node1");
