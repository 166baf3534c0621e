import { kubernetesKinds } from "../src/scenario/phrases-kubernetes.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import type { Role } from "../src/scenario/slots.ts";
import { api_server } from "./scenario-units.ts";

/** Parts that nobody plays without an API. */
const kubernetesRoles: readonly Role[] = ["the controllers' leader", "the address's holder"];

/** Programs that the machines have today, and those that a scenario brings. */
const units_here: readonly string[] = ["corosync", "pacemaker", "etcd", "crio", "kubelet"];

/** What a scenario asks for that its machines have not. */
export function lacks({ header, steps }: Scenario): readonly string[] {
  const asked = new Set(steps.flatMap(({ ask }) => ("unit" in ask ? [ask.unit] : [])));
  const here = header.kubernetes ? [...units_here, api_server] : units_here;
  // A static pod: it has no unit whose stop could be hindered.
  const podless = steps.find(({ ask }) => ask.kind === "unit-wont-stop" && ask.unit === api_server);
  const needs = steps.find(
    ({ ask }) =>
      kubernetesKinds.has(ask.kind) ||
      ("machine" in ask && kubernetesRoles.some((role) => role === ask.machine)),
  );
  const addressed = steps.find(
    ({ ask }) => ask.kind.includes("address") || ("machine" in ask && ask.machine === "the address's holder"),
  );
  return [
    ...[...asked]
      .filter((unit) => !here.includes(unit))
      .map((unit) => `the machines run no ${unit} under duet's care`),
    ...(podless === undefined
      ? []
      : [`the API server is a pod, and has no unit whose stop could be hindered: \`${podless.text}\``]),
    ...(needs !== undefined && !header.kubernetes
      ? [`a site without \`kubernetes\` at its head has no API: \`${needs.text}\``]
      : []),
    ...(addressed !== undefined && header.kubernetes && !header.address
      ? [`the API of this site has no virtual IP: \`${addressed.text}\``]
      : []),
  ];
}
