import { apiAttribute, apiResource, apiUnit } from "../base/paths.ts";
import type { Problem } from "../base/problem.ts";
import type { Site } from "../site/site.ts";
import { nvset, values } from "./cib-xml.ts";
import type { IgnitionUnit } from "./ignition.ts";
import { addressOperations, addressPolicy } from "./policy.ts";

/** The address that duet itself holds. Without API servers that it runs there is nothing that the address could follow. */
export const addressOf = ({ api, kubernetes }: Pick<Site, "api" | "kubernetes">): string | undefined =>
  kubernetes === undefined ? undefined : api?.address;

/** An address that is in the site file, and that nobody holds. No mistake that would stop anything: it is only told. */
export function unheldAddress({ api, kubernetes }: Pick<Site, "api" | "kubernetes">): readonly Problem[] {
  if (api === undefined || kubernetes !== undefined) return [];
  return [
    {
      code: "DUET-E-API-UNHELD",
      where: `api ${api.address}`,
      what: `nobody holds ${api.address}: it would follow duet's own API servers, and without \`kubernetes:\` there are none`,
      fix: "add `kubernetes: {}`, or leave `api:` out where the machines have a control plane of their own",
    },
  ];
}

/**
 * The API's virtual IP. Interface and prefix are not in the site file: the agent (address-agent.ts) takes those of the network that the
 * address belongs to. docs/kubernetes-address.md says why it is never on both sides.
 */
export function addressResource(site: Pick<Site, "api" | "kubernetes" | "fencing">): readonly string[] {
  const ip = addressOf(site);
  if (ip === undefined) return [];
  const operations = addressOperations.map(({ name, timeout_s, interval_s = 0 }) => {
    const onFail = name === "stop" ? site.fencing.stop_failure : "restart";
    return `        <op id="${apiResource}-${name}" name="${name}" interval="${interval_s}s" timeout="${timeout_s}s" on-fail="${onFail}"/>`;
  });
  return [
    [
      `    <primitive id="${apiResource}" class="ocf" provider="duet" type="address">`,
      nvset("meta_attributes", `${apiResource}-meta`, values(addressPolicy), 6),
      nvset("instance_attributes", `${apiResource}-attributes`, [["ip", ip]], 6),
      "      <operations>",
      ...operations,
      "      </operations>",
      "    </primitive>",
    ].join("\n"),
  ];
}

/**
 * It follows the API servers and nothing else: no order with etcd and no place beside it. A machine that says nothing counts like one
 * whose API server does not answer.
 */
export const addressPlaces = (site: Pick<Site, "api" | "kubernetes">): readonly string[] =>
  addressOf(site) === undefined
    ? []
    : [
        [
          `    <rsc_location id="${apiResource}-where" rsc="${apiResource}">`,
          `      <rule id="${apiResource}-where-rule" score-attribute="${apiAttribute}">`,
          `        <expression id="${apiResource}-where-said" attribute="${apiAttribute}" operation="defined"/>`,
          "      </rule>",
          "    </rsc_location>",
        ].join("\n"),
      ];

/** Also where a load balancer has the address: who was proven off gets its taint from here. */
export const apiUnits = ({ kubernetes }: Pick<Site, "kubernetes">): readonly IgnitionUnit[] =>
  kubernetes === undefined ? [] : [unit];

const unit: IgnitionUnit = {
  name: apiUnit,
  enabled: true,
  contents: `[Unit]
Description=duet: watch this machine's API server
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/usr/local/bin/duet api-watch
Restart=always
RestartSec=1s
# A takeover may be under way: it comes first. But who sees late moves the address late.
CPUWeight=50
# Nothing in it has to be ended in order.
TimeoutStopSec=2s

[Install]
WantedBy=multi-user.target
`,
};
