import type { MachineFile } from "./ignition.ts";
import { actionLines } from "./ocf-metadata.ts";
import { addressOperations } from "./policy.ts";

/*
 * IPaddr2 holds addresses of every kind, on every system, in a shell script of 1300 lines: half a second of a busy machine's time for
 * each start, of the second that a move may take. Here is what one address of one network needs: three calls of `ip`.
 */

const metadataFile = "/etc/duet/ocf-address.xml";
export const addressAgent = "/usr/lib/ocf/resource.d/duet/address";

export const addressMetadata = `<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="address" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">
One IP address beside those that a machine has in the same network. Interface and prefix are that network's. The neighbours are told
where it is now, five times in a second, while the start has ended already.
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
# For IPv6 with no search for another holder: a fence has proven that there is none. And never the source of a connection from here, which
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
valid() {
  [ -n "$ip" ] || refuse 6 "no address is given"
  [ -x "$teller" ] || refuse 5 "$teller is missing: it comes with the package resource-agents"
  find_it || find_network || refuse 1 "this machine has no address in a network of $ip"
}

case "$1" in
  meta-data) exec cat ${metadataFile} ;;
  monitor) find_it || exit 7 ;;
  validate-all) valid ;;
  start)
    find_it && exit 0
    valid
    add || exit 1
    tell </dev/null >/dev/null 2>&1 &
    ;;
  stop)
    # Somebody may have put it on a second interface, by hand.
    while find_it; do ip "$family" address del "$prefixed" dev "$interface" || exit 1; done
    ;;
  *) exit 3 ;;
esac
`,
  },
  { path: metadataFile, mode: 0o644, content: addressMetadata },
];
