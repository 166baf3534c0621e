import { paths } from "../base/paths.ts";
import type { MachineFile } from "./ignition.ts";
import { actionLines } from "./ocf-metadata.ts";
import { addressOperations } from "./policy.ts";

/*
 * IPaddr2 holds addresses of every kind, on every system, in a shell script of 1300 lines: half a second of a busy machine's time for
 * each start, of the second that a move may take. Here is what one address of one network needs: three calls of `ip`.
 *
 * And IPaddr2 believes Pacemaker. That the peer is off somebody may have told it by hand (`stonith_admin --confirm`), of a machine whose
 * kernel still answers for the address. So who is alone asks what duet knows, as duet does before it serves. The shell reads it: a start
 * that comes behind a fence does not wait for another program.
 */

const metadataFile = "/etc/duet/ocf-address.xml";
export const addressAgent = "/usr/lib/ocf/resource.d/duet/address";
/**
 * In `paths.run`, which machine had it when they lost each other: `here` from its start to its end; the name of the membership where it
 * ended on a machine that was alone; nothing where it ended beside the peer. And: it was kept from here (src/agents/api/refused.ts).
 */
const held = `${paths.run}/address`;
export const addressRefused = "address-refused";
const bootFile = "/proc/sys/kernel/random/boot_id";
/**
 * A fifth of a second apart: a proof may be noted a moment behind a fence that is not duet's own. By time, too: each look may wait for
 * Corosync, and Pacemaker kills a start that takes too long (addressOperations) before it has said why.
 */
const looks_max = 10;
const look_s_max = 10;

export const addressMetadata = `<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="address" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">
One IP address beside those that a machine has in the same network. Interface and prefix are that network's. The neighbours are told
where it is now, five times in a second, while the start has ended already. A machine that is alone starts it only where duet knows
that the other one does not have it.
  </longdesc>
  <shortdesc lang="en">the address of the Kubernetes API, by duet</shortdesc>
  <parameters>
    <parameter name="ip" required="1" unique="1">
      <longdesc lang="en">The address, IPv4 or IPv6, without a prefix.</longdesc>
      <shortdesc lang="en">the address</shortdesc>
      <content type="string"/>
    </parameter>
  </parameters>
  <actions>
${actionLines(addressOperations)}
  </actions>
</resource-agent>
`;

/** Where Pacemaker looks for ocf:duet:address. */
export const addressAgentFiles: readonly MachineFile[] = [
  {
    path: addressAgent,
    mode: 0o755,
    content: `#!/bin/sh
ip=$OCF_RESKEY_ip
# Of the package resource-agents: they tell the neighbours.
tellers=/usr/libexec/heartbeat
case "$ip" in
  *:*) family=-6 teller=$tellers/send_ua ;;
  *) family=-4 teller=$tellers/send_arp ;;
esac

refuse() {
  echo "ocf-exit-reason:$2" >&2
  exit "$1"
}
# Where it is: \`interface\` and \`prefixed\`; false: nowhere.
find_it() {
  shown=$(ip "$family" -o address show to "$ip") || refuse 1 "whether it is here can't be told: ip fails"
  read -r _ interface _ prefixed _ <<EOF
$shown
EOF
  [ -n "$prefixed" ]
}
# Of the networks that it belongs to, the smallest: \`interface\` and \`prefix\`; false: none is reached without a gateway.
find_network() {
  interface="" prefix=0
  while read -r to by name _; do
    case "$to" in */*) length=\${to##*/} ;; *) length=0 ;; esac
    [ "$by" = dev ] && [ "$length" -gt "$prefix" ] && interface=$name prefix=$length
  done <<EOF
$(ip "$family" -o route list match "$ip")
EOF
  [ -n "$interface" ]
}
# For IPv6 with no search for another holder: it is known that there is none. And never the source of a connection from here, which
# would end when the address leaves; of IPv4's the one that was there first is.
add() {
  case "$family" in
    -4) ip -4 address add "$ip/$prefix" dev "$interface" ;;
    -6) ip -6 address add "$ip/$prefix" dev "$interface" nodad preferred_lft 0 ;;
  esac
}
# Told again and again, since a message may be lost. Not when it has left again: the other machine tells of it by then.
tell() {
  for _ in 1 2 3 4 5; do
    find_it || return 0
    case "$family" in
      -4) "$teller" -i 1 -r 1 "$interface" "$ip" auto not_used not_used ;;
      -6) "$teller" -i 1 -c 1 "$ip" "$prefix" "$interface" ;;
    esac
    sleep 0.2
  done
}
# Who is here, by Corosync: \`nodes\`, and \`ring\`, the name of this membership.
look() {
  nodes="" ring=""
  while IFS=: read -r name value; do
    case "$name" in
      Nodes) nodes=\${value##* } ;;
      "Ring ID") ring=\${value##* } ;;
    esac
  done <<EOF
$(LC_ALL=C timeout 3 corosync-quorumtool -s 2>/dev/null)
EOF
  [ -n "$nodes" ] && [ -n "$ring" ]
}
# \`up\`: whole seconds since the boot.
clock() {
  read -r up _ </proc/uptime
  up=\${up%.*}
}
note_refusal() { : >${paths.run}/${addressRefused}; }
# It is not here any more, and Pacemaker learns that now: it may be on the other machine as soon as that is here. So who is alone has it again
# in this very membership, where the other one has not been, and in no later one. Beside the other one, or unseen, it is given up.
gone() {
  [ -e ${held} ] || return 0
  had=""
  read -r had <${held}
  if look && [ "$nodes" = 1 ]; then
    [ "$had" != here ] || echo "$ring" >${held} || rm -f ${held}
  else
    rm -f ${held}
  fi
}
# Does nobody else have it? Beside the other machine, and nothing else counts as that, Pacemaker has seen to it. Alone it is so where this one
# had it when the other went and has only ended it since the two last met, where duet has read that the other is off or an admin has told
# duet so, each for this very membership and boot, and where the other said that it leaves: it gives the address up before.
is_free() {
  look || {
    note_refusal
    refuse 1 "whether the other machine is here can't be told: Corosync does not answer"
  }
  case "$nodes" in
    2) return 0 ;;
    1) ;;
    *) return 1 ;;
  esac
  had=""
  [ ! -r ${held} ] || read -r had <${held}
  case "$had" in here | "$ring") return 0 ;; esac
  [ -r ${paths.run}/memory ] || return 1
  read -r boot <${bootFile}
  read -r known <${paths.run}/memory
  case "$known" in *"\\"boot\\":\\"$boot\\""*) ;; *) return 1 ;; esac
  case "$known" in
    *"\\"provenIn\\":\\"$ring\\""*) ;;
    *"\\"spoken\\":{\\"ring\\":\\"$ring\\",\\"peerDown\\":true"*) ;;
    *'\\"leaving\\":true'*) ;;
    *) return 1 ;;
  esac
}
await_free() {
  looks=1
  clock
  began=$up
  until is_free; do
    # Each time, for duet may have found it free already: whoever ends this now, it is tried again.
    note_refusal
    clock
    if [ "$looks" -ge ${looks_max} ] || [ $((up - began)) -ge ${look_s_max} ]; then
      refuse 1 "the other machine is away and not proven off, so it may still have the address: see that it is off, and say so (duet confirm-peer-down)"
    fi
    looks=$((looks + 1))
    sleep 0.2
  done
}
valid() {
  [ -n "$ip" ] || refuse 6 "no address is given"
  [ -x "$teller" ] || refuse 5 "$teller is missing: it comes with the package resource-agents"
  find_it || find_network || refuse 1 "this machine has no address in a network of $ip"
}

case "$1" in
  meta-data) exec cat ${metadataFile} ;;
  monitor)
    find_it && exit 0
    gone
    exit 7
    ;;
  validate-all) valid ;;
  start)
    find_it && exit 0
    valid
    [ -d ${paths.run} ] || mkdir -m 700 ${paths.run}
    await_free
    add || exit 1
    echo here >${held}
    rm -f ${paths.run}/${addressRefused}
    tell </dev/null >/dev/null 2>&1 &
    ;;
  stop)
    # Somebody may have put it on a second interface, by hand.
    while find_it; do ip "$family" address del "$prefixed" dev "$interface" || exit 1; done
    gone
    exit 0
    ;;
  *) exit 3 ;;
esac
`,
  },
  { path: metadataFile, mode: 0o644, content: addressMetadata },
];
