import type { IgnitionUnit } from "./ignition.ts";

/**
 * Each machine proves once a day, without harm, that it could switch its peer off. A test that fails is a unit that failed: whoever watches
 * systemd is told too. The two machines, and the sites of one owner, do it at different hours: BMCs are slow and few.
 */
export const fenceTestUnits: readonly IgnitionUnit[] = [
  {
    name: "duet-fence-test.service",
    contents: `[Unit]
Description=duet: prove that the peer can be switched off
ConditionPathExists=/var/lib/duet/setup-done
Wants=network-online.target
After=network-online.target pacemaker.service
# One that failed is made again soon: what is mended by then is shown as such, and not as broken until tomorrow.
OnFailure=duet-fence-test-again.timer

[Service]
Type=oneshot
ExecStart=/usr/local/bin/duet fence-test
# A call that is never answered ends by itself; this is for all of them.
TimeoutStartSec=10min
`,
  },
  {
    name: "duet-fence-test.timer",
    enabled: true,
    contents: `[Unit]
Description=duet: prove each day that the peer can be switched off

[Timer]
OnCalendar=daily
RandomizedDelaySec=12h
Persistent=yes

[Install]
WantedBy=timers.target
`,
  },
  {
    name: "duet-fence-test-again.timer",
    contents: `[Unit]
Description=duet: prove once more that the peer can be switched off

[Timer]
OnActiveSec=1h
RemainAfterElapse=no
Unit=duet-fence-test.service
`,
  },
];
