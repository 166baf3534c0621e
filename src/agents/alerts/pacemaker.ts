import { type Event, plain } from "./event.ts";

/** The variables that Pacemaker gave its alert agent (without `CRM_alert_`), a line each: `kind=node`. The first of a name counts. */
export function fieldsOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/.exec(line) ?? [];
    if (name !== "" && !found.has(name)) found.set(name, plain(value));
  }
  return found;
}

export interface Here {
  readonly me: string;
  readonly machines: readonly string[];
  readonly now_ms: number;
}

/** Degraded is no failure: OCF's 190 and 191 say that it runs. */
const well: ReadonlySet<string> = new Set(["190", "191"]);
/** What Pacemaker's scheduler asks to learn what runs where: another answer than expected is news, not a failure. */
const probe = (task: string | undefined, interval: string | undefined): boolean =>
  task === "monitor" && (interval === undefined || interval === "0");

/** What a dropped file tells of; undefined: nothing that people are told. */
export function eventIn(text: string, here: Here): Event | undefined {
  const field = fieldsOf(text);
  const about = field.get("node") ?? "";
  if (!here.machines.includes(about)) return undefined;
  const at_ms = timeIn(field, here.now_ms);
  switch (field.get("kind") ?? "") {
    case "node":
      if (about === here.me) return undefined;
      if (field.get("desc") === "member") return { kind: "machine-back", at_ms, about };
      if (field.get("desc") !== "lost") return undefined;
      return { kind: "machine-lost", at_ms, about };
    case "fencing":
      return fenceIn(field, here, { at_ms, about });
    case "resource":
      return failureIn(field, { at_ms, about });
    default:
      return undefined;
  }
}

/** A clock that Pacemaker and this process share; what lies outside of an hour was not read right. */
function timeIn(field: ReadonlyMap<string, string>, now_ms: number): number {
  const at_ms =
    Number(field.get("timestamp_epoch")) * 1000 + Number(field.get("timestamp_usec") ?? "0") / 1000;
  return Math.abs(at_ms - now_ms) < 3_600_000 ? Math.round(at_ms) : now_ms;
}

type Common = Pick<Event, "at_ms" | "about">;

/** As Pacemaker describes it: `Operation off of node2 by node1 for pacemaker-controld.914@node1: OK (ref=…)`. */
const description = /^Operation (\S+) of \S+ by (.+?) for \S+: (.*?)(?: \(ref=[^)]*\))?$/;
/** Whoever ran `stonith_admin --confirm`. */
export const aHuman = "a human";

/** The task that Pacemaker names is only the kind of its own notification: what was done is in the description. */
function fenceIn(field: ReadonlyMap<string, string>, here: Here, common: Common): Event | undefined {
  const [, action, executioner, said] = description.exec(field.get("desc") ?? "") ?? [];
  if (!["off", "reboot"].includes(action ?? field.get("task") ?? "")) return undefined;
  const named = [...here.machines, aHuman].find((name) => name === executioner);
  const by = named ?? here.machines.find((name) => name !== common.about);
  const base = { ...common, ...(by === undefined ? {} : { by }) };
  if (field.get("rc") === "0") return { kind: "fence-done", ...base };
  return { kind: "fence-failed", ...base, ...(said === undefined ? {} : { why: said }) };
}

function failureIn(field: ReadonlyMap<string, string>, common: Common): Event | undefined {
  const [rc, target, task, rsc] = ["rc", "target_rc", "task", "rsc"].map((name) => field.get(name));
  if (rc === undefined || rc === target || well.has(rc) || probe(task, field.get("interval")))
    return undefined;
  const what = `${task ?? "an operation"} of ${rsc ?? "a resource"} (${field.get("desc") || `status ${rc}`})`;
  const device = /^fence-(.+)$/.exec(rsc ?? "")?.[1];
  if (device === undefined) return { kind: "resource-failed", ...common, why: what };
  const { at_ms, about: by } = common;
  return { kind: "fence-unproven", at_ms, about: device, ...(by === undefined ? {} : { by }), why: what };
}
