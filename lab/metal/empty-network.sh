#!/bin/sh
# empty-network.sh: in a machine's network namespace, between two boots of it. On metal nothing of the network outlives a reboot;
# here the namespace does, and a proxy that finds the rules of its last life adds to them. Only the cables stay.
set -u
nft flush ruleset
ip -oneline link | sed 's/^[0-9]*: \([^:@]*\).*/\1/' | while read -r dev; do
  case $dev in
    lo) ;;
    link1 | link2 | mgmt)
      ip link set "$dev" down
      ip address flush dev "$dev"
      ;;
    # Some kernels have interfaces of their own that can't be deleted.
    *) ip link delete "$dev" 2> /dev/null ;;
  esac
done
exit 0
