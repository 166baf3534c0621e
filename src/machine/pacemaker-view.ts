import { run } from "./process.ts";
import { allNamed, parseXml } from "./xml.ts";

/** What Pacemaker on this machine believes of the machines and of one resource on each. */
export interface View {
  readonly nodes: ReadonlyMap<string, NodeView>;
  /** Where an instance of the resource is started, in whatever role. */
  readonly activeOn: ReadonlySet<string>;
  /** Where it could not be stopped; or another service could not, and Pacemaker fences the machine for that. */
  readonly stopFailedOn: ReadonlySet<string>;
}

export interface NodeView {
  /** It takes part, as far as Pacemaker has heard: of a loss it hears later than Corosync. */
  readonly online: boolean;
  /** It is lost, or could not stop something, and is to be fenced. */
  readonly unclean: boolean;
  readonly standby: boolean;
  /** It has begun to shut down by plan. */
  readonly shutdown: boolean;
}

/** Undefined while Pacemaker is not up. */
export async function viewOf(resource: string, deadline_ms: number): Promise<View | undefined> {
  const { status, stdout } = await run(["crm_mon", "--one-shot", "--output-as=xml"], {
    accept: "any",
    deadline_ms,
  });
  return status === 0 ? parseView(stdout, resource) : undefined;
}

export function parseView(xml: string, resource: string): View {
  const document = parseXml(xml);
  const [list] = allNamed(document, "nodes");
  const nodes = (list === undefined ? [] : allNamed(list, "node")).map((node) => {
    const is = (name: string) => node.getAttribute(name) === "true";
    return [
      node.getAttribute("name") ?? "",
      { online: is("online"), unclean: is("unclean"), standby: is("standby"), shutdown: is("shutdown") },
    ] as const;
  });
  const instances = allNamed(document, "resource").filter(
    (each) => nameOf(each.getAttribute("id")) === resource && each.getAttribute("active") === "true",
  );
  const active = instances.flatMap((each) =>
    allNamed(each, "node").map((node) => node.getAttribute("name") ?? ""),
  );
  const machines = new Map(nodes);
  const stops = allNamed(document, "failure").filter((each) => {
    const failed = /^(.*)_stop_0$/.exec(each.getAttribute("op_key") ?? "")?.[1];
    // A service whose failed stop is only shown leaves its machine clean.
    return failed === resource || (failed !== undefined && isUnclean(machines, each.getAttribute("node")));
  });
  return {
    nodes: machines,
    activeOn: new Set(active),
    stopFailedOn: new Set(stops.map((each) => each.getAttribute("node") ?? "")),
  };
}

const isUnclean = (nodes: View["nodes"], name: string | null): boolean =>
  nodes.get(name ?? "")?.unclean === true;

/** Without the number of the clone's instance, where there is one. */
const nameOf = (id: string | null): string => (id ?? "").replace(/:[0-9]+$/, "");
