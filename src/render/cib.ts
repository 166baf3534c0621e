import { createHash } from "node:crypto";
import type { Machine, Site } from "../site/site.ts";
import { orderedMachines } from "./corosync.ts";
import { type Choice, fencePolicy, pacemakerPolicy, resourcePolicy } from "./policy.ts";

/** Name of the cluster property that says which configuration is loaded. */
export const markProperty = "duet-configuration";

/**
 * The parts of Pacemaker's configuration that are duet's, as one `<configuration>` element. `crm_verify` is its judge.
 * The mark is a hash of the rest: `duet setup` compares it to know whether there is anything to load.
 */
export function cibConfiguration(
  site: Site,
  usernames: ReadonlyMap<string, string>,
): { xml: string; mark: string } {
  const body = (mark: string) =>
    [
      "<configuration>",
      element("crm_config", [
        nvset("cluster_property_set", "duet-policy", [
          ...values(pacemakerPolicy),
          ["stonith-timeout", `${fencingTimeout_s(site)}s`],
          [markProperty, mark],
        ]),
      ]),
      element(
        "resources",
        site.machines.map((m) => fenceDevice(site, m, usernames.get(m.name) ?? "")),
      ),
      element("constraints", site.machines.map(neverFencesItself)),
      element("rsc_defaults", [nvset("meta_attributes", "duet-defaults", values(resourcePolicy))]),
      "</configuration>",
      "",
    ].join("\n");
  const mark = createHash("sha256").update(body("")).digest("hex").slice(0, 16);
  return { xml: body(mark), mark };
}

/** The stock Redfish agent: one device per machine, which can power that machine off and no other. */
function fenceDevice(site: Site, m: Machine, username: string): string {
  const url = new URL(m.bmc.url);
  const id = `fence-${m.name}`;
  const { value: interval_s } = fencePolicy.monitor_interval_s;
  return [
    `    <primitive id="${id}" class="stonith" type="fence_redfish">`,
    nvset(
      "instance_attributes",
      `${id}-attributes`,
      [
        ["pcmk_host_list", m.name],
        ["pcmk_host_check", "static-list"],
        // Stock agents put the address into a URL as it is: IPv6 keeps its brackets.
        ["ip", url.hostname],
        ["ipport", url.port || "443"],
        ["username", username],
        // The password stays in a file that only root reads; the agent runs this to get it.
        ["password_script", passwordScript(m)],
        ...(m.bmc.system === undefined ? [] : [["systems_uri", m.bmc.system] as const]),
        ...(m.bmc.trust.by === "nothing" ? [["ssl_insecure", "1"] as const] : []),
        ["power_timeout", String(fence_s(site))],
        ["stonith_status_sleep", String(fencePolicy.status_sleep_s.value)],
        ["pcmk_off_timeout", `${offTimeout_s(site, m)}s`],
        ["pcmk_off_retries", String(fencePolicy.off_retries.value)],
        // With the machine's name: Pacemaker 3.0.0 takes a bare value too, but logs an error for it.
        ["pcmk_delay_base", `${m.name}:${raceDelay_s(site, m)}s`],
      ],
      6,
    ),
    "      <operations>",
    `        <op id="${id}-monitor" name="monitor" interval="${interval_s}s" timeout="${fencePolicy.monitor_timeout_s.value}s"/>`,
    "      </operations>",
    "    </primitive>",
  ].join("\n");
}

const fence_s = (site: Site): number => Math.ceil(site.timeouts.fence_ms / 1000);

/** One try of one device: the delay inside it, the fence, and the margin. */
export function offTimeout_s(site: Site, target: Machine): number {
  return raceDelay_s(site, target) + fence_s(site) + fencePolicy.margin_s.value;
}

/** Every try of the slowest device: Pacemaker gives up the whole operation after this. */
export function fencingTimeout_s(site: Site): number {
  return Math.max(...site.machines.map((m) => offTimeout_s(site, m))) * (1 + fencePolicy.off_retries.value);
}

/** The preferred machine is fenced later, so it wins a race of two healthy ones. A stored value, never computed then. */
export function raceDelay_s(site: Site, target: Machine): number {
  const preferred =
    site.fencing.preferred === "leader" ? orderedMachines(site)[0]?.name : site.fencing.preferred;
  return target.name === preferred ? fencePolicy.race_delay_s.value : 0;
}

export const passwordScript = (m: Machine): string => `/etc/duet/bmc/${m.name}.password`;

function neverFencesItself(m: Machine): string {
  return `    <rsc_location id="fence-${m.name}-elsewhere" rsc="fence-${m.name}" node="${m.name}" score="-INFINITY"/>`;
}

function element(name: string, children: readonly string[]): string {
  return [`  <${name}>`, ...children, `  </${name}>`].join("\n");
}

const values = (policy: Readonly<Record<string, Choice<string>>>): readonly (readonly [string, string])[] =>
  Object.entries(policy).map(([name, choice]) => [name, choice.value]);

function nvset(kind: string, id: string, pairs: readonly (readonly [string, string])[], depth = 4): string {
  const indent = " ".repeat(depth);
  return [
    `${indent}<${kind} id="${id}">`,
    ...pairs.map(([n, v]) => `${indent}  <nvpair id="${id}-${n}" name="${n}" value="${escape(v)}"/>`),
    `${indent}</${kind}>`,
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
