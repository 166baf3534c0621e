import { apiAttribute, apiResource, etcdResource } from "../../base/paths.ts";
import { allNamed, parseXml } from "../../machine/xml.ts";
import { addressScores } from "../../render/policy.ts";
import { provenMonitor } from "../../machine/pacemaker.ts";
import { run } from "../../machine/process.ts";
import type { ClusterSight, Fence } from "./report.ts";

const devicePrefix = "fence-";
/** What a person calls it, where that is not its name. */
const words: Readonly<Record<string, string>> = { [apiResource]: `the API's address (${apiResource})` };

/** Everything that Pacemaker on this machine tells, in one call. Undefined while it is not up. */
export async function clusterSight(deadline_ms: number): Promise<ClusterSight | undefined> {
  const { status, stdout } = await run(
    ["crm_mon", "--one-shot", "--include=options,operations,fencing,failures,attributes", "--output-as=xml"],
    { accept: "any", deadline_ms, env: { LC_ALL: "C", TZ: "UTC" } },
  );
  return status === 0 ? parseClusterSight(stdout) : undefined;
}

type Element = ReturnType<typeof allNamed>[number];

/** With times in UTC. */
export function parseClusterSight(xml: string): ClusterSight {
  const document = parseXml(xml);
  const [dc] = allNamed(document, "current_dc");
  const [list] = allNamed(document, "nodes");
  const nodes = list === undefined ? [] : allNamed(list, "node");
  const failures = allNamed(document, "failure").map((each) => ({
    node: each.getAttribute("node") ?? "",
    resource: (each.getAttribute("op_key") ?? "").replace(/_[a-z-]+_[0-9]+$/, ""),
    task: each.getAttribute("task") ?? "",
    why: each.getAttribute("exitreason") || each.getAttribute("exitstatus") || "it failed",
  }));
  return {
    dc: dc?.getAttribute("name") ?? null,
    nodes: Object.fromEntries(nodes.map((node) => [node.getAttribute("name") ?? "", nodeWord(node)])),
    devices: Object.fromEntries(
      allNamed(document, "resource")
        .filter((each) => each.getAttribute("resource_agent")?.startsWith("stonith:") === true)
        .map((each) => deviceOf(document, each, failures)),
    ),
    fences: allNamed(document, "fence_event")
      .map(fenceOf)
      .filter((each) => each !== undefined),
    failures: failures
      // etcd's own state is told by etcd itself; its monitor only repeats it.
      .filter(
        ({ resource, task }) =>
          !resource.startsWith(devicePrefix) && !(resource === etcdResource && task === "monitor"),
      )
      .map(({ node, resource, task, why }) => ({
        node,
        resource,
        what: `Pacemaker's ${task} of ${words[resource] ?? resource} failed: ${why}`.slice(0, 500),
        // What can't be stopped is left as it is until somebody says otherwise, however old the failure.
        again: task !== "stop",
      })),
    runs: runsOf(document),
    answers: answersOf(document),
    kubelets_ms: startsOf(document, "kubelet"),
    maintenance: allNamed(document, "cluster_options").some(
      (each) => each.getAttribute("maintenance-mode") === "true",
    ),
  };
}

function runsOf(document: ReturnType<typeof parseXml>): Readonly<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const resource of allNamed(document, "resource"))
    if (resource.getAttribute("active") === "true")
      for (const node of allNamed(resource, "node"))
        (found[node.getAttribute("name") ?? ""] ??= []).push(resource.getAttribute("id") ?? "");
  return found;
}

const isAnswer = (said: string | null): boolean => Number(said) >= addressScores.probation.value;

function answersOf(document: ReturnType<typeof parseXml>): Readonly<Record<string, boolean>> {
  const [list] = allNamed(document, "node_attributes");
  const said = (list === undefined ? [] : allNamed(list, "node")).flatMap((node) =>
    allNamed(node, "attribute")
      .filter((each) => each.getAttribute("name") === apiAttribute)
      .map((each) => [node.getAttribute("name") ?? "", isAnswer(each.getAttribute("value"))] as const),
  );
  return Object.fromEntries(said);
}

/** By machine: the last start of a resource there that succeeded. What was found running was not started. */
function startsOf(document: ReturnType<typeof parseXml>, resource: string): Readonly<Record<string, number>> {
  const [list] = allNamed(document, "node_history");
  return Object.fromEntries(
    (list === undefined ? [] : allNamed(list, "node")).flatMap((node) => {
      const starts = allNamed(node, "resource_history")
        .filter((each) => each.getAttribute("id") === resource)
        .flatMap((each) => allNamed(each, "operation_history"))
        .filter((each) => each.getAttribute("task") === "start" && each.getAttribute("rc") === "0")
        .flatMap((each) => timeOf(each.getAttribute("last-rc-change")) ?? []);
      return starts.length === 0 ? [] : [[node.getAttribute("name") ?? "", Math.max(...starts)] as const];
    }),
  );
}

/** The gravest of what is said of it. */
function nodeWord(node: Element): string {
  const is = (name: string) => node.getAttribute(name) === "true";
  if (is("unclean")) return "unclean";
  if (!is("online")) return "offline";
  for (const word of ["pending", "shutdown", "standby", "maintenance"]) if (is(word)) return word;
  return "online";
}

function deviceOf(
  document: ReturnType<typeof parseXml>,
  device: Element,
  failures: readonly { readonly resource: string; readonly why: string }[],
): readonly [string, ClusterSight["devices"][string]] {
  const id = device.getAttribute("id") ?? "";
  const on = allNamed(device, "node")[0]?.getAttribute("name") ?? null;
  const proven = on === null ? undefined : provenMonitor(document, id);
  const failure = failures.find(({ resource }) => resource === id);
  return [
    id.startsWith(devicePrefix) ? id.slice(devicePrefix.length) : id,
    {
      on,
      since_ms: proven === undefined ? null : timeOf(proven.getAttribute("last-rc-change")),
      interval_s: Number.parseInt(proven?.getAttribute("interval") ?? "0", 10) / 1000,
      failed: proven !== undefined || failure === undefined ? null : failure.why.slice(0, 500),
    },
  ];
}

function fenceOf(event: Element): Fence | undefined {
  const at_ms = timeOf(event.getAttribute("completed"));
  const status = event.getAttribute("status");
  if (event.getAttribute("action") === "on") return undefined;
  return {
    target: event.getAttribute("target") ?? "",
    by: event.getAttribute("delegate") || event.getAttribute("origin") || "",
    at_ms: at_ms ?? 0,
    result: status === "success" || status === "failed" ? status : "pending",
    why: (event.getAttribute("exit-reason") ?? "").slice(0, 500),
  };
}

/** Such as `Sun Nov 15 17:42:27 2026`, or `2026-11-15 17:42:27.123456 +00:00`. */
function timeOf(text: string | null): number | null {
  if (text === null) return null;
  const at_ms = Date.parse(/[+-]\d\d:\d\d$|Z$/.test(text) ? text : `${text} UTC`);
  return Number.isNaN(at_ms) ? null : at_ms;
}
