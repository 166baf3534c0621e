import { podsResource } from "../../base/paths.ts";
import { markProperty } from "../../render/cib.ts";
import { corosyncPolicy } from "../../render/policy.ts";
import { services } from "../../render/services.ts";
import { allNamed, childNamed, type Element, parseXml } from "../../machine/xml.ts";

/** Settings under which duet's rules hold, and which are others by now: somebody changed what duet has loaded. One sentence each. */

/** More are told by their number. */
const told_max = 8;

/** What duet sets nowhere, since Pacemaker's own default is right; each of these set by somebody would take a safeguard away. */
const unwanted: Readonly<Record<string, (value: string) => string | undefined>> = {
  requires: (value) =>
    value === "fencing" ? undefined : `requires=${value}: it starts before a lost machine is proven off`,
  "is-managed": (value) =>
    value === "true" ? undefined : `is-managed=${value}: Pacemaker neither starts nor stops it`,
  "stonith-watchdog-timeout": (value) =>
    Number.parseInt(value, 10) === 0
      ? undefined
      : `stonith-watchdog-timeout=${value}: Pacemaker takes a time-out for a proof of Off`,
  "priority-fencing-delay": (value) =>
    Number.parseInt(value, 10) === 0
      ? undefined
      : `priority-fencing-delay=${value}: fences wait, beside the turns that duet keeps`,
};

/** Pacemaker's configuration as it runs, against the one that duet wrote. What others have added is theirs, unless it undoes duet's. */
export function pacemakerDrift(cib: string, written: string): readonly string[] {
  const document = parseXml(cib);
  const root = childNamed(childNamed(document, "cib") ?? document, "configuration");
  const wanted = childNamed(parseXml(written), "configuration");
  if (root === undefined || wanted === undefined) throw new Error("not a CIB");
  const there = new Map(allNamed(root, "*").map((each) => [each.getAttribute("id") ?? "", each]));
  const ours = allNamed(wanted, "*").filter((each) => isSetting(each));
  const known = new Set(ours.map((each) => each.getAttribute("id")));
  const found = [
    ...ours.flatMap((each) => changed(each, there.get(each.getAttribute("id") ?? ""))),
    ...[...sections_of_all.flatMap((name) => sections(root, name)), ...resourcesOfDuet(root, known)]
      .flatMap((each) => allNamed(each, "nvpair"))
      .filter((each) => !known.has(each.getAttribute("id")))
      .flatMap((each) => added(each, ours)),
  ];
  const more = found.length - told_max;
  return more > 0 ? [...found.slice(0, told_max), `and ${more} more settings of Pacemaker`] : found;
}

/** What stands there counts for duet's resources, too. */
const sections_of_all = ["crm_config", "rsc_defaults", "op_defaults"] as const;
/** `duet setup` loads these beside what was rendered, where a machine has them. */
const later = [...services, podsResource].flatMap((id) => [id, `${id}-clone`]);

const sections = (root: Element, name: string): readonly Element[] => {
  const section = childNamed(root, name);
  return section === undefined ? [] : [section];
};

/** Also what somebody has put around one of them. */
function resourcesOfDuet(root: Element, known: ReadonlySet<string | null>): readonly Element[] {
  const isOurs = (each: Element) => {
    const id = each.getAttribute("id");
    return each.nodeName !== "nvpair" && (known.has(id) || later.includes(id ?? ""));
  };
  return sections(root, "resources")
    .flatMap((all) => allNamed(all, "*").filter(({ parentNode }) => parentNode === all))
    .filter((each) => isOurs(each) || allNamed(each, "*").some(isOurs));
}

/** The mark says what was loaded, and not how anything runs. */
const isSetting = (element: Element): boolean =>
  element.hasAttribute("id") && element.getAttribute("name") !== markProperty && !isInAlerts(element);

/** Those are the site's own way to tell people, and no rule of the cluster. */
function isInAlerts(element: Element): boolean {
  for (let up = element.parentNode; up !== null; up = up.parentNode)
    if (up.nodeName === "alerts") return true;
  return false;
}

function changed(wanted: Element, live: Element | undefined): readonly string[] {
  const id = wanted.getAttribute("id") ?? "";
  if (wanted.nodeName === "nvpair") {
    const [name, value] = [wanted.getAttribute("name") ?? "", wanted.getAttribute("value") ?? ""];
    const now = live?.getAttribute("value");
    if (now === value) return [];
    return [`${of(wanted)}${name} is ${now ?? "not set"}, and duet sets ${value}`];
  }
  if (live === undefined) return [`${wanted.nodeName} ${id} is gone`];
  return Array.from(wanted.attributes).flatMap(({ name, value }) => {
    const now = live.getAttribute(name);
    return now === value ? [] : [`${id}: ${name} is ${now ?? "not set"}, and duet sets ${value}`];
  });
}

/** By the same name in another place it may win, and these few take a safeguard away wherever they stand for something of duet's. */
function added(live: Element, ours: readonly Element[]): readonly string[] {
  const [name, value] = [live.getAttribute("name") ?? "", live.getAttribute("value") ?? ""];
  const why = unwanted[name]?.(value);
  if (why !== undefined) return [`${of(live)}${why}`];
  if (!isProperty(live)) return [];
  const same = ours.find((each) => isProperty(each) && each.getAttribute("name") === name);
  if (same === undefined || same.getAttribute("value") === value) return [];
  return [`${name} is set a second time, to ${value}, and duet sets ${same.getAttribute("value")}`];
}

const isProperty = (nvpair: Element): boolean => nvpair.parentNode?.nodeName === "cluster_property_set";

/** Whose setting it is: of a resource, of all, or the cluster's own. */
function of(nvpair: Element): string {
  const owner = nvpair.parentNode?.parentNode;
  if (owner === null || owner === undefined || owner.nodeName === "crm_config") return "";
  const id: unknown =
    "getAttribute" in owner && typeof owner.getAttribute === "function" ? owner.getAttribute("id") : null;
  return typeof id === "string" && id !== "" ? `${id}: ` : `${owner.nodeName}: `;
}

/** What Corosync says of its quorum while it runs (`corosync-quorumtool -s`), by the setting that brings it. */
const flags_wanted = { "2Node": "two_node", WaitForAll: "wait_for_all" } as const;
const settings_wanted = {
  two_node: corosyncPolicy.two_node.why,
  wait_for_all: corosyncPolicy.wait_for_all.why,
};
const flags_unwanted = {
  LastManStanding: "last_man_standing",
  AutoTieBreaker: "auto_tie_breaker",
  AllowDownscale: "allow_downscale",
  Qdevice: "device",
} as const;
const settings_unwanted: Readonly<Record<string, string>> = {
  last_man_standing: "votes are counted anew without a fence",
  auto_tie_breaker: "a machine keeps quorum by its number, whether its peer is off or not",
  allow_downscale: "a machine that leaves takes its vote along",
  device: "a quorum device decides who goes on, beside duet's proof of Off",
};

/** Most of them Corosync takes only when it starts: what its file says is what the next boot runs with. */
export function corosyncDrift(flags: readonly string[], file: string): readonly string[] {
  const says = quorumSettings(file);
  const isOn = (name: string) => says.has(name) && says.get(name) !== "0" && says.get(name) !== "no";
  return [
    ...Object.entries(flags_wanted).flatMap(([flag, name]) => {
      const why = settings_wanted[name];
      if (!flags.includes(flag)) return [`Corosync runs without ${name} (${why})`];
      return isOn(name)
        ? []
        : [`corosync.conf does not set ${name}, and Corosync goes by it from its next start on (${why})`];
    }),
    ...Object.entries(flags_unwanted).flatMap(([flag, name]) => {
      const why = settings_unwanted[name] ?? "";
      if (flags.includes(flag)) return [`Corosync runs with ${name}: ${why}`];
      return isOn(name)
        ? [`corosync.conf has ${name}, and Corosync goes by it from its next start on: ${why}`]
        : [];
    }),
  ];
}

/** Of the section `quorum`; a section within it by its name. */
function quorumSettings(file: string): ReadonlyMap<string, string> {
  const path: string[] = [];
  const found = new Map<string, string>();
  for (const line of file.split("\n").map((each) => each.trim())) {
    const opens = /^([a-z_]+) *\{$/.exec(line)?.[1];
    if (opens !== undefined) {
      path.push(opens);
      if (path[0] === "quorum" && path.length === 2) found.set(opens, "");
    } else if (line === "}") path.pop();
    else {
      const [, key = "", value = ""] = /^([a-z_]+): *(.*)$/.exec(line) ?? [];
      if (key !== "" && path.length === 1 && path[0] === "quorum") found.set(key, value);
    }
  }
  return found;
}
