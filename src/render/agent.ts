import { guardUnit, paths, workUnit } from "../base/paths.ts";
import type { IgnitionUnit, MachineFile } from "./ignition.ts";
import { actionLines } from "./ocf-metadata.ts";
import { etcdOperations } from "./policy.ts";
import { ahead } from "./weight.ts";

const metadataFile = "/etc/duet/ocf-etcd.xml";
const wakeFile = `${paths.run}/wake`;
const againUnit = "duet-again.service";

/** There is nothing to set: everything is in the site file, which both machines have. */
export const agentMetadata = `<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="etcd" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">
One of exactly two etcd members, on machines that duet has set up. Started: duet works here, and brings etcd up when that is safe,
alone, with its peer or as a learner of its peer. Promoted: etcd runs. Unpromoted does not say that it does
not: a demotion stops nothing, and an etcd that runs goes on voting until the resource is stopped. How it is decided who may serve is printed by "duet rules".
  </longdesc>
  <shortdesc lang="en">etcd on two machines, by duet</shortdesc>
  <parameters/>
  <actions>
${actionLines(etcdOperations)}
  </actions>
</resource-agent>
`;

/** Where Pacemaker looks for ocf:duet:etcd. What is asked most often needs no more than a shell. */
export const agentFiles: readonly MachineFile[] = [
  {
    path: "/usr/lib/ocf/resource.d/duet/etcd",
    mode: 0o755,
    content: `#!/bin/sh
case "$1" in
  meta-data) exec cat ${metadataFile} ;;
  notify) [ ! -d ${paths.run} ] || : > ${wakeFile}; exit 0 ;;
esac
exec /usr/local/bin/duet agent etcd "$@"
`,
  },
  { path: metadataFile, mode: 0o644, content: agentMetadata },
];

export const agentUnits: readonly IgnitionUnit[] = [
  {
    name: workUnit,
    contents: `[Unit]
Description=duet: look, decide, act
# How often it looks is decided by what happens.
StartLimitIntervalSec=0

[Service]
Type=exec
# Here, so that one which can't even begin is not begun again at once.
ExecStartPre=/bin/rm -f ${wakeFile}
ExecStart=/usr/local/bin/duet work
${ahead("failover")}# Each of its steps can be cut off.
TimeoutStopSec=3s
`,
  },
  {
    name: "duet-work.path",
    enabled: true,
    contents: `[Unit]
Description=duet: somebody wants it to look
# Also when it has just ended: a wake that comes while it runs is not lost.
OnFailure=${againUnit}

[Path]
PathExists=${wakeFile}

[Install]
WantedBy=multi-user.target
`,
  },
  {
    name: "duet-ring.path",
    enabled: true,
    contents: `[Unit]
Description=duet: Corosync forms another membership
# Its number is written to this folder in that moment.
OnFailure=${againUnit}

[Path]
PathChanged=/var/lib/corosync
Unit=duet-wake.service

[Install]
WantedBy=multi-user.target
`,
  },
  {
    name: againUnit,
    contents: `[Unit]
Description=duet: watch again for what wakes it
# systemd gives up a watch for which it gets no inotify instance (root has 128 of them, and Kubernetes takes dozens). Nobody would take
# over then. Until it has one again, duet looks each time.
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/systemctl start ${workUnit} duet-work.path duet-ring.path
Restart=on-failure
RestartSec=5s
`,
  },
  {
    name: guardUnit,
    enabled: true,
    contents: `[Unit]
Description=duet: may this machine start without its peer?
# A machine that is not set up yet says so itself.
ConditionPathExists=/var/lib/duet/setup-done
After=corosync.service

[Service]
Type=exec
ExecStart=/usr/local/bin/duet guard
# Who stands before a machine without its peer reads it there.
StandardError=journal+console
Restart=on-failure
RestartSec=10s
# Each of its steps can be cut off.
TimeoutStopSec=3s

[Install]
# A Corosync that was started again, after a crash of its own, waits for the peer like one that booted.
WantedBy=multi-user.target corosync.service
`,
  },
  {
    name: "duet-wake.service",
    contents: `[Unit]
Description=duet: wake it
StartLimitIntervalSec=0

[Service]
Type=oneshot
RuntimeDirectory=duet
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
ExecStart=/bin/touch ${wakeFile}
`,
  },
];
