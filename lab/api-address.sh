#!/bin/sh
# Two machines and a neighbour on one wire, and the lab's image: does an address that moves go where it should, and does the neighbour
# learn of it? FOLDER has the agent, as `address`. Run in a mount and a network namespace of its own:
# unshare --mount --net lab/api-address.sh ROOT FOLDER ADDRESS
set -eu
root=$1 folder=$2 address=$3
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mount --bind /dev "$root/dev"
mount --bind /proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
mount --bind "$folder" "$root/tmp"
ip link add wire type bridge
ip link set wire up
number=1
for machine in node1 node2 neighbour; do
  ip netns add "$machine"
  ip link add "to-$number" type veth peer name eth0 netns "$machine"
  ip link set "to-$number" master wire up
  ip -n "$machine" link set lo up
  ip -n "$machine" address add "192.0.2.1$number/24" dev eth0
  ip -n "$machine" address add "2001:db8::1$number/64" dev eth0 nodad
  ip -n "$machine" link set eth0 up
  number=$((number + 1))
done

# Corosync, as it tells of so many machines.
mkdir -p "$folder/bin"
printf '#!/bin/sh\ncat /tmp/members\n' >"$folder/bin/corosync-quorumtool"
chmod 755 "$folder/bin/corosync-quorumtool"
members() { printf 'Nodes: %s\nRing ID: 1.9\n' "$1" >"$folder/members"; }
members 2

agent() {
  machine=$1 action=$2
  status=0
  ip netns exec "$machine" env "OCF_RESKEY_ip=${3-$address}" "PATH=${4-/tmp/bin:$PATH}" chroot "$root" /tmp/address "$action" >>"$folder/agent.log" 2>&1 || status=$?
  echo "$action on $machine: $status"
}
hardware() { ip -n "$1" -o link show eth0 | sed 's/.*link\/ether \([^ ]*\).*/\1/'; }
known() { ip -n neighbour neigh show "$address" | sed 's/.*lladdr \([^ ]*\).*/\1/'; }
whose() {
  for machine in node1 node2; do
    [ "$(known)" != "$(hardware "$machine")" ] || echo "the neighbour sends to $machine"
  done
}
reach() { ip netns exec neighbour ping -c 1 -W 2 "$address" >/dev/null && echo reached || echo unreachable; }

agent node1 validate-all
agent node1 validate-all 203.0.113.10
agent node1 validate-all ""
agent node1 start 203.0.113.10
agent node1 promote
agent node1 monitor
agent node1 start
agent node1 start
agent node1 validate-all
ip -n node1 -o address show dev eth0 to "$address" | sed 's/^[^:]*: */has /'
reach
whose
# An `ip` that fails tells nothing: not that the address is gone.
mkdir "$folder/broken"
printf '#!/bin/sh\nexit 1\n' >"$folder/broken/ip"
chmod 755 "$folder/broken/ip"
for action in monitor stop; do agent node1 "$action" "$address" "/tmp/broken:/tmp/bin:$PATH"; done
rm -r "$folder/broken"
# Its peer is lost, and not proven off: what it had before it has again, and it takes nothing from the other.
members 1
agent node1 stop
agent node1 start
members 2
ip -n node1 address add "$address/32" dev lo 2>/dev/null || ip -n node1 address add "$address/128" dev lo
agent node1 stop
agent node1 monitor
agent node2 start
# Told, and not asked: nothing has been sent to it since.
tries=0
until [ "$(known)" = "$(hardware node2)" ] || [ $tries -ge 40 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
whose
reach
agent node2 monitor
agent node2 stop
agent node2 monitor
agent node2 stop
members 1
agent node2 start
agent node2 monitor
