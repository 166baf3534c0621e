import { apiResource, etcdResource, paths, podsResource } from "../../base/paths.ts";
import type { Site } from "../../site/site.ts";
import { addressOf } from "../api-address.ts";
import { clone, values } from "../cib-xml.ts";
import type { IgnitionUnit, MachineFile } from "../ignition.ts";
import { actionLines } from "../ocf-metadata.ts";
import { podsOperations, podsPolicy, serviceClonePolicy } from "../policy.ts";

/*
 * Containers outlive their kubelet and their CRI-O. So a machine that goes by plan has something of its own that ends them:
 * a resource whose start does nothing and whose stop is that end. Pacemaker knows best when it is time, for it stops everything else
 * around it, too; docs/decisions/pods-end.md has what else was thought of.
 */

const metadataFile = "/etc/duet/ocf-pods.xml";
const note = `${paths.run}/pods`;
const podsCloneId = `${podsResource}-clone`;

export const podsMetadata = `<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="pods" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">
The pods of a machine that duet has set up. Its start does nothing: the kubelet starts pods. Its stop ends all of them, in good order
and within a bound, before this machine's etcd leaves. The kubelet has to be stopped before it.
  </longdesc>
  <shortdesc lang="en">the end of a machine's pods, by duet</shortdesc>
  <parameters/>
  <actions>
${actionLines([
  ...podsOperations.map(({ name, timeout_s }) => ({ name, timeout_s })),
  { name: "monitor", timeout_s: 20, interval_s: 10 },
])}
  </actions>
</resource-agent>
`;

/** Where Pacemaker looks for ocf:duet:pods. Only its stop needs more than a shell; and that never fails. */
export const podsAgentFiles: readonly MachineFile[] = [
  {
    path: "/usr/lib/ocf/resource.d/duet/pods",
    mode: 0o755,
    content: `#!/bin/sh
case "$1" in
  meta-data) exec cat ${metadataFile} ;;
  start) mkdir -p -m 0700 ${paths.run} && : > ${note} ;;
  monitor) [ -e ${note} ] || exit 7 ;;
  stop)
    [ ! -e ${note} ] || timeout --kill-after=5 ${podsPolicy.hung_s.value} /usr/local/bin/duet agent pods stop
    rm -f ${note}
    ;;
  validate-all) ;;
  *) exit 3 ;;
esac
`,
  },
  { path: metadataFile, mode: 0o644, content: podsMetadata },
];

const gate = "duet-pods.service";

/**
 * With the control groups of systemd each container is a unit, which systemd would end in the first moment of a shutdown, beside
 * Pacemaker: every process of it, under a kubelet that still runs, and with the API's address still here. So they wait behind a gate,
 * which opens when Pacemaker has ended the pods, or is not at it. Behind Pacemaker itself they could wait for ever: CRI-O's unit ends
 * after them, and Pacemaker after that.
 */
export const podUnits: readonly IgnitionUnit[] = [
  {
    name: gate,
    enabled: true,
    contents: `[Unit]
Description=duet: at a shutdown Pacemaker ends the pods, and not systemd

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=/bin/sh -c 'while [ -e ${note} ]; do case "$$(systemctl is-active pacemaker.service)" in inactive|failed) exit ;; esac; sleep 0.2; done'
# Then systemd ends them after all.
TimeoutStopSec=${podsPolicy.gate_s.value}s

[Install]
WantedBy=multi-user.target
`,
  },
  { name: "crio-.scope", dropins: [{ name: "10-duet.conf", contents: `[Unit]\nBefore=${gate}\n` }] },
];

export const podsClone = (): string =>
  clone(podsResource, 'class="ocf" provider="duet" type="pods"', values(serviceClonePolicy), podsOperations);

/**
 * What ends before what where both end anyway, and nothing else: optional, and of stops alone. The address is gone before its API server,
 * and the kubelet before it could start pods again; etcd leaves when nothing here asks it any more.
 */
export const podsOrders = (site: Pick<Site, "api" | "kubernetes">): readonly string[] => [
  ...(addressOf(site) === undefined ? [] : [ends(apiResource, podsCloneId)]),
  ends("kubelet-clone", podsCloneId),
  ends(podsCloneId, "crio-clone"),
  ends(podsCloneId, `${etcdResource}-clone`),
];

const ends = (first: string, then: string): string =>
  `    <rsc_order id="${first}-ends-before-${then}" first="${first}" first-action="stop" then="${then}" then-action="stop" kind="Optional" symmetrical="false"/>`;
