import { createHash } from "node:crypto";
import { etcdResource } from "../base/paths.ts";
import type { FenceAgent, Machine, Site } from "../site/site.ts";
import { alertsElement } from "./alerts.ts";
import { addressPlaces, addressResource } from "./api-address.ts";
import { clone, element, nvset, values } from "./cib-xml.ts";
import { duetOptions, fencingTimeout_s, offTimeout_s, stockOptions } from "./fence-device.ts";
import { etcdClonePolicy, etcdOperations, fencePolicy, pacemakerPolicy, resourcePolicy } from "./policy.ts";

/** Name of the cluster property that says which configuration is loaded. */
export const markProperty = "duet-configuration";

/**
 * The parts of Pacemaker's configuration that are duet's, as one `<configuration>` element. `crm_verify` is its judge.
 * The mark is a hash of the rest: `duet setup` compares it to know whether there is anything to load.
 */
export function cibConfiguration(
  site: Site,
  usernames: ReadonlyMap<string, string>,
  fences: FenceAgent = site.fencing.agent,
): { xml: string; mark: string } {
  const body = (mark: string) =>
    [
      "<configuration>",
      element("crm_config", [
        nvset("cluster_property_set", "duet-policy", [
          ...values(pacemakerPolicy),
          ["stonith-timeout", `${fencingTimeout_s(site, fences)}s`],
          [markProperty, mark],
        ]),
      ]),
      element("resources", [
        ...site.machines.map((m) => fenceDevice(site, m, fences, usernames.get(m.name) ?? "")),
        etcdClone(),
        ...addressResource(site),
      ]),
      element("constraints", [...site.machines.map(neverFencesItself), ...addressPlaces(site)]),
      element("rsc_defaults", [nvset("meta_attributes", "duet-defaults", values(resourcePolicy))]),
      ...[alertsElement(site)].filter((each) => each !== undefined),
      "</configuration>",
      "",
    ].join("\n");
  const mark = createHash("sha256").update(body("")).digest("hex").slice(0, 16);
  return { xml: body(mark), mark };
}

/** One device per machine, which can power that machine off and no other. */
function fenceDevice(site: Site, m: Machine, agent: FenceAgent, username: string): string {
  const id = `fence-${m.name}`;
  const { value: interval_s } = fencePolicy.monitor_interval_s;
  return [
    `    <primitive id="${id}" class="stonith" type="${agent}">`,
    nvset(
      "instance_attributes",
      `${id}-attributes`,
      [
        ["pcmk_host_list", m.name],
        ["pcmk_host_check", "static-list"],
        ...(agent === "fence_duet" ? duetOptions(m) : stockOptions(site, m, username)),
        ["pcmk_off_timeout", `${offTimeout_s(site, m, agent)}s`],
        ["pcmk_off_retries", String(fencePolicy.off_retries.value)],
      ],
      6,
    ),
    "      <operations>",
    `        <op id="${id}-monitor" name="monitor" interval="${interval_s}s" timeout="${fencePolicy.monitor_timeout_s.value}s"/>`,
    "      </operations>",
    "    </primitive>",
  ].join("\n");
}

/** etcd on both machines. */
const etcdClone = (): string =>
  clone(etcdResource, 'class="ocf" provider="duet" type="etcd"', values(etcdClonePolicy), etcdOperations);

function neverFencesItself(m: Machine): string {
  return `    <rsc_location id="fence-${m.name}-elsewhere" rsc="fence-${m.name}" node="${m.name}" score="-INFINITY"/>`;
}
