import * as v from "valibot";
import { pageCommand, pageOf } from "../status/page.ts";
import { aHuman } from "./pacemaker.ts";
import { type Event, type Kind, kinds, plain, type Severity } from "./event.ts";

/** What people and their programs get; also the body of a webhook's POST. docs/alerts.md explains each field. */
export const messageShape = v.object({
  format: v.literal(1),
  id: v.string(),
  happening: v.string(),
  kind: v.picklist(kinds),
  severity: v.picklist(["critical", "warning", "info"]),
  site: v.string(),
  machine: v.string(),
  about: v.nullable(v.string()),
  at: v.string(),
  sentence: v.string(),
  next: v.string(),
  code: v.string(),
  page: v.string(),
  left_out: v.number(),
  text: v.string(),
});
export type Message = v.InferOutput<typeof messageShape>;

interface Words {
  readonly severity: Severity;
  readonly sentence: string;
  readonly next: string;
}

const because = (why: string | undefined): string =>
  why === undefined || why === "" ? "" : `: ${plain(why)}`;

/** What is said of each: what happened, and what a person should do next. */
function wordsOf({ kind, about = "a machine", by = "its peer", why, epoch, rule }: Event): Words {
  const words = (severity: Severity, sentence: string, next: string): Words => ({ severity, sentence, next });
  switch (kind) {
    case "machine-lost":
      return words(
        "critical",
        `${about} is lost: it went out of the cluster without a word`,
        `wait for the fence and the takeover, which follow within a minute; if they do not, see \`duet status\``,
      );
    case "machine-left":
      return words(
        "info",
        `${about} has left the cluster in order: somebody wanted that`,
        "nothing; until it is back the other machine must not be lost",
      );
    case "machine-back":
      return words("info", `${about} is in the cluster again`, "wait for 1+1, which is told too");
    case "fence-done":
      if (by === aHuman)
        return words(
          "warning",
          `a human has told Pacemaker that ${about} is off; nothing has proven it`,
          "make sure that it is: duet takes no such word for a proof",
        );
      return words(
        "warning",
        `${by} has switched ${about} off, and Off is confirmed`,
        `see why ${about} was lost: \`duet explain\` draws the time line`,
      );
    case "fence-failed":
      return words(
        "critical",
        `${by} could not switch ${about} off${because(why)}`,
        `nobody takes over before ${about} is proven off: see its BMC; \`duet status\` on ${by} says what it waits for`,
      );
    case "fence-unproven":
      return words(
        "critical",
        `it is not proven that ${by} could switch ${about} off${because(why)}`,
        `see the BMC of ${about}: its power, its network, its password; \`duet fence-test\` on ${by} tests it step by step`,
      );
    case "false-off":
      return words(
        "critical",
        `${about} ran on while its BMC or outlet said Off to ${by}: both machines may have served, and no fence by that BMC or outlet can be trusted`,
        `see which machine they really switch; then \`duet fence-test ${about} --disruptive\` on ${by}`,
      );
    case "resource-failed":
      return words(
        "warning",
        `on ${about} something failed that Pacemaker runs${because(why)}`,
        `it is tried again by itself; if it stays, \`duet status\` on ${about} says what to do`,
      );
    case "takeover":
      return words(
        "warning",
        `${about} has taken over and serves alone${epoch === undefined ? "" : `, as epoch ${epoch}`}`,
        "bring the other machine back: until it is 1+1 again, this one must not be lost",
      );
    case "whole":
      return words(
        "info",
        "it is 1+1 again: both machines hold everything, and either may be lost",
        "nothing",
      );
    case "human-needed":
      return words(
        "critical",
        `${about} needs a human${because(why)}`,
        rule === undefined
          ? `see \`duet status\` on ${about}`
          : `\`${pageCommand(rule)}\` on ${about} says it`,
      );
    case "surrendered":
      return words(
        "critical",
        `${about} has given its data up, so that its peer may serve without it${epoch === undefined ? "" : ` (epoch ${epoch})`}`,
        `see the disk of ${about}: its etcd could not be started again and again`,
      );
    case "test":
      return words("info", "this is a test of duet's alerts", "nothing");
  }
}

export const codeOf = (kind: Kind): string => `DUET-A-${kind.toUpperCase()}`;

/** From whom, under which id; `happening` is equal where both machines tell the same. */
export interface Stamp {
  readonly site: string;
  readonly machine: string;
  readonly id: string;
  readonly happening?: string;
}

export function messageOf(event: Event, stamp: Stamp): Message {
  const { severity, sentence, next } = wordsOf(event);
  const { kind, rule } = event;
  const message = {
    format: 1 as const,
    id: stamp.id,
    happening: stamp.happening ?? stamp.id,
    kind,
    severity,
    site: stamp.site,
    machine: stamp.machine,
    about: event.about ?? null,
    at: new Date(event.at_ms).toISOString(),
    sentence,
    next,
    code: rule ?? codeOf(kind),
    page: rule === undefined ? `docs/alerts.md#${kind}` : pageOf(rule),
    left_out: 0,
  };
  return { ...message, text: textOf(message) };
}

/** The same, said after others of its kind that were not. */
export function withLeftOut(message: Message, left_out: number): Message {
  const more = { ...message, left_out };
  return { ...more, text: textOf(more) };
}

/** One paragraph for people, on one line. */
function textOf(message: Omit<Message, "text">): string {
  const { site, machine, severity, at, sentence, next, code, page, left_out } = message;
  const when = at.slice(0, 19).replace("T", " ");
  const omitted = left_out === 0 ? "" : ` ${left_out} more of this kind were left out before this one.`;
  return `${site}: ${severity}: ${sentence}. Told by ${machine} at ${when} UTC. What to do: ${next}.${omitted} (${code}, ${page})`;
}
