import { createHash } from "node:crypto";
import type { Site } from "../site/site.ts";
import { markProperty } from "./cib.ts";
import { clone, values } from "./cib-xml.ts";
import { podsClone, podsOrders } from "./kubernetes/pods-end.ts";
import { serviceClonePolicy, serviceOperations } from "./policy.ts";

/** Units of the machine that Pacemaker starts and watches, where they are installed, in the order of their start. */
export const services = ["crio", "kubelet"] as const;
export type Service = (typeof services)[number];

/** Which machines have which of them. */
export type Installed = ReadonlyMap<string, ReadonlySet<Service>>;

/**
 * The rendered configuration with the services that the machines turned out to have. Nothing ties them to etcd, neither an order
 * nor a place: a kubelet that fails, or takes minutes to start, must not move etcd (it waits for the API by itself). Between the
 * two the order is optional: it holds where both are started anyway, and a CRI-O that fails does not stop the kubelet. Where they run
 * a control plane of duet's, what ends its pods is with them.
 */
export function withServices(
  configuration: string,
  site: Pick<Site, "machines" | "fencing" | "api" | "kubernetes">,
  installed: Installed,
): { readonly xml: string; readonly mark: string } {
  const managed = services.filter((service) => [...installed.values()].some((has) => has.has(service)));
  const all = managed.length === services.length;
  const hasPods = all && site.kubernetes !== undefined;
  const blank = configuration.replace(mark, "$1$3");
  const body = insert(
    insert(blank, "resources", [
      ...managed.map((service) => serviceClone(service, site.fencing.stop_failure)),
      ...(hasPods ? [podsClone()] : []),
    ]),
    "constraints",
    [
      ...managed.flatMap((service) =>
        site.machines
          .filter(({ name }) => installed.get(name)?.has(service) !== true)
          .map(({ name }) => notThere(service, name)),
      ),
      ...(all ? [order] : []),
      ...(hasPods ? podsOrders(site) : []),
    ],
  );
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { xml: body.replace(mark, `$1${hash}$3`), mark: hash };
}

const mark = new RegExp(`(name="${markProperty}" value=")([0-9a-f]*)(")`);

const insert = (xml: string, section: string, parts: readonly string[]): string =>
  xml.replace(`  </${section}>`, [...parts, `  </${section}>`].join("\n"));

const serviceClone = (service: Service, stop_failure: Site["fencing"]["stop_failure"]): string =>
  clone(
    service,
    `class="systemd" type="${service}"`,
    values(serviceClonePolicy),
    serviceOperations.map((each) => ({ ...each, onFail: each.name === "stop" ? stop_failure : "restart" })),
  );

const notThere = (service: Service, machine: string): string =>
  `    <rsc_location id="${service}-not-on-${machine}" rsc="${service}-clone" node="${machine}" score="-INFINITY"/>`;

const order =
  '    <rsc_order id="crio-then-kubelet" first="crio-clone" then="kubelet-clone" kind="Optional" symmetrical="true"/>';
