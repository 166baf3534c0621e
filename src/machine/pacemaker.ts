import { writeFile } from "node:fs/promises";
import { alertId } from "../render/alerts.ts";
import { run } from "./process.ts";
import { allNamed, childNamed, type Document, type Element, parseXml, printXml } from "./xml.ts";

/** Pacemaker and Corosync as seen from one of their machines, through their own tools. */

export interface NodeState {
  readonly name: string;
  readonly online: boolean;
  /** Pacemaker does not know that it is off, and waits for a fence. */
  readonly unclean: boolean;
}

export interface ClusterState {
  readonly quorate: boolean;
  readonly dc: string | undefined;
  readonly nodes: readonly NodeState[];
}

/** The cluster's state, or undefined while Pacemaker is not up. */
export async function clusterState(): Promise<ClusterState | undefined> {
  const { status, stdout } = await run(["crm_mon", "--one-shot", "--output-as=xml"], {
    accept: "any",
    deadline_ms: 10_000,
  });
  return status === 0 ? parseClusterState(stdout) : undefined;
}

export function parseClusterState(xml: string): ClusterState {
  const document = parseXml(xml);
  const dc = allNamed(document, "current_dc")[0];
  const inNodes = allNamed(document, "nodes")[0];
  return {
    quorate: dc?.getAttribute("with_quorum") === "true",
    dc: dc?.getAttribute("name") ?? undefined,
    nodes: (inNodes === undefined ? [] : allNamed(inNodes, "node")).map((node) => ({
      name: node.getAttribute("name") ?? "",
      // Where Corosync runs and Pacemaker does not, Pacemaker's other machine calls it online, and pending.
      online: node.getAttribute("online") === "true" && node.getAttribute("pending") !== "true",
      unclean: node.getAttribute("unclean") === "true",
    })),
  };
}

/** A cluster property's value, or undefined where it is not set. */
export async function clusterProperty(name: string): Promise<string | undefined> {
  const { status, stdout } = await run(
    ["crm_attribute", "--type", "crm_config", "--name", name, "--query", "--quiet"],
    {
      accept: "any",
      deadline_ms: 10_000,
    },
  );
  return status === 0 ? stdout.trim() : undefined;
}

/** As it runs here, with what others have added. Undefined while Pacemaker is not up. */
export async function liveConfiguration(deadline_ms: number): Promise<string | undefined> {
  const { status, stdout } = await run(["cibadmin", "--query", "--local"], { accept: "any", deadline_ms });
  return status === 0 ? stdout : undefined;
}

/** The devices by which this machine's own fencer could power off a machine. */
export async function fenceDevices(target: string): Promise<readonly string[]> {
  const { status, stdout } = await run(["stonith_admin", "--list", target, "--output-as=xml"], {
    accept: "any",
    deadline_ms: 20_000,
  });
  return status === 0 ? allNamed(parseXml(stdout), "item").map((item) => item.textContent ?? "") : [];
}

/**
 * Whether a resource's own monitor has succeeded since its last failure. "Started" alone would not do: Pacemaker also says
 * it of a start that is still under way, and a fence device that can't log in would pass for one that can.
 */
export async function isProven(resource: string): Promise<boolean> {
  const { status, stdout } = await run(["crm_mon", "--one-shot", "--include=operations", "--output-as=xml"], {
    accept: "any",
    deadline_ms: 10_000,
  });
  return status === 0 && provenIn(stdout, resource);
}

export const provenIn = (crmMon: string, resource: string): boolean =>
  provenMonitor(parseXml(crmMon), resource) !== undefined;

/**
 * The repeated monitor that succeeded and was the last of what a machine did with the resource. Each machine numbers its own calls:
 * a later number of another one, such as a probe's, says nothing.
 */
export function provenMonitor(crmMon: ReturnType<typeof parseXml>, resource: string) {
  return allNamed(crmMon, "resource_history")
    .filter((history) => history.getAttribute("id") === resource)
    .map((history) =>
      allNamed(history, "operation_history")
        .toSorted((a, b) => call(a) - call(b))
        .at(-1),
    )
    .find(
      (last) =>
        last?.getAttribute("task") === "monitor" &&
        last.getAttribute("rc") === "0" &&
        last.hasAttribute("interval"),
    );
}

const call = (operation: { getAttribute: (name: string) => string | null }): number =>
  Number(operation.getAttribute("call") ?? 0);

/**
 * Forgets a resource's failures, on one machine or on all, so that Pacemaker tries it again now and not when they have aged. False where
 * Pacemaker did not take it.
 */
export async function forgetFailures(resource: string, machine?: string): Promise<boolean> {
  const where = machine === undefined ? [] : ["--node", machine];
  const { status } = await run(["crm_resource", "--cleanup", "--resource", resource, ...where], {
    accept: "any",
    deadline_ms: 30_000,
  });
  return status === 0;
}

/** Sections of the configuration that belong to the cluster itself and not to duet. */
const sectionsNotOurs = new Set(["nodes", "alerts", "acls", "tags"]);

/**
 * Puts duet's sections in the place of those that are there, in one atomic change, made as a difference: somebody else's
 * change in the same moment makes it fail, and the caller looks again.
 */
export async function loadConfiguration(configuration: string): Promise<void> {
  const { stdout: before } = await run(["cibadmin", "--query"]);
  const after = replaceSections(before, configuration);
  const dir = await run(["mktemp", "-d", "/run/duet-cib.XXXXXX"]);
  const folder = dir.stdout.trim();
  try {
    const files = {
      before: `${folder}/before.xml`,
      after: `${folder}/after.xml`,
      patch: `${folder}/patch.xml`,
    };
    await writeFile(files.before, before);
    await writeFile(files.after, after);
    // Status 1 says that there is a difference.
    const diff = await run(["crm_diff", "--original", files.before, "--new", files.after, "--no-version"], {
      accept: [0, 1],
    });
    if (diff.status === 0) return;
    await writeFile(files.patch, diff.stdout);
    await run(["cibadmin", "--patch", "--xml-file", files.patch, "--sync-call"], { deadline_ms: 30_000 });
  } finally {
    await run(["rm", "-rf", folder]);
  }
}

export function replaceSections(cib: string, configuration: string): string {
  const document = parseXml(cib);
  const root = childNamed(document, "cib");
  const current = root === undefined ? undefined : childNamed(root, "configuration");
  const wanted = childNamed(parseXml(configuration), "configuration");
  if (current === undefined || wanted === undefined) throw new Error("not a CIB");
  for (const section of Array.from(current.childNodes)) {
    if (section.nodeType === 1 && !sectionsNotOurs.has(section.nodeName)) current.removeChild(section);
  }
  const nodes = childNamed(current, "nodes");
  for (const section of Array.from(wanted.childNodes)) {
    if (section.nodeType !== 1 || section.nodeName === "alerts") continue;
    const copy = document.importNode(section, true);
    // The schema has an order: properties, nodes, resources, constraints, defaults.
    if (section.nodeName === "crm_config" && nodes !== undefined) current.insertBefore(copy, nodes);
    else current.appendChild(copy);
  }
  replaceAlert(document, current, childNamed(wanted, "alerts"));
  return printXml(document);
}

/** Duet's own alert is replaced, or taken away where the site tells nobody; those of others stay. */
function replaceAlert(document: Document, current: Element, wanted: Element | undefined): void {
  const there = childNamed(current, "alerts");
  for (const alert of there === undefined ? [] : allNamed(there, "alert"))
    if (alert.getAttribute("id") === alertId) alert.parentNode?.removeChild(alert);
  if (wanted === undefined) return;
  if (there === undefined) current.appendChild(document.importNode(wanted, true));
  else for (const alert of allNamed(wanted, "alert")) there.appendChild(document.importNode(alert, true));
}
