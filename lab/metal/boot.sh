#!/bin/sh
# boot.sh FOLDER IMAGE LAYERS CGROUP_VERSION NAME STORE CGROUP_ENTRY...: power comes on in one machine of a lab.
# STORE has the container images of a lab with Kubernetes, and is empty elsewhere.
#
# Everything that must vanish with the machine is made here, in its own cgroups and its own mount namespace: its disk,
# its root, and what systemd-nspawn would leave on the host. When its last process dies, all of it is gone by itself.
set -eu
here=$(dirname "$0")
folder=$1 image=$2 layers=$3 version=$4 name=$5 store=$6
shift 6
for entry; do echo $$ > "$entry"; done
set -- --quiet --directory="$folder/root" --machine="$name" --hostname="$name" --boot --register=no --keep-unit \
  --network-namespace-path="$folder/net" --console=pipe --resolv-conf=off --timezone=off --link-journal=no \
  --capability=all --drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE --system-call-filter=@known \
  --bind="$folder/disk/containers:/var/lib/containers" --bind=/dev/kmsg
if [ -n "$store" ]; then set -- "$@" --bind-ro="$store:/usr/share/duet-lab/images"; fi
if [ "$version" = 1 ]; then
  # Containers in the machine will need the host's version 1 controllers.
  export UNIFIED_CGROUP_HIERARCHY=0
  set -- "$@" -- SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 systemd.unified_cgroup_hierarchy=0
fi
export here NET="$folder/net" SLOW="$folder/slow" BRAKE=/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device
# The machine's own reboot ends systemd-nspawn with status 133: power stays on, and it boots again.
# shellcheck disable=SC2016 # the inner shell expands it
exec sh "$here/with-root.sh" "$folder" "$image" "$layers" sh -uc '
  mount -t tmpfs tmpfs /run/systemd || exit
  while :; do
    systemd-nspawn "$@"
    [ $? = 133 ] || break
    nsenter --net="$NET" sh "$here/empty-network.sh"
  done
  # Powered off in good order: a brake on its disk must not stay for the next one that gets the device number.
  if [ -f "$SLOW" ]; then echo "$(cat "$SLOW") 0" > "$BRAKE" && rm "$SLOW"; fi' sh "$@"
