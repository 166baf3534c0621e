#!/bin/sh
# load.sh ROOT FOLDER NAME...: fills FOLDER/store, an image store, with these images. The OCI layout of the first is
# FOLDER/layouts/0, that of the second FOLDER/layouts/1, and so on.
#
# By the podman of the machines' own OS image at ROOT: the host needs none, and writes no other format than they read.
# The mounts are in a namespace of this process and end with it; ROOT is not changed.
set -eu
if [ "${DUET_MOUNTS-}" != own ]; then
  DUET_MOUNTS=own exec unshare --mount --propagation private sh "$0" "$@"
fi
root=$1 folder=$2
shift 2
mkdir -p "$folder/store" "$folder/changes" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
mkdir -p "$folder/root/store" "$folder/root/layouts"
mount --bind "$folder/store" "$folder/root/store"
mount --bind "$folder/layouts" "$folder/root/layouts"
mount -t proc proc "$folder/root/proc"
mount --rbind /dev "$folder/root/dev"
mount --rbind /sys "$folder/root/sys"
mount -t tmpfs tmpfs "$folder/root/run"
mount -t tmpfs tmpfs "$folder/root/tmp"
number=0
for name; do
  chroot "$folder/root" podman --root /store --runroot /run/store --storage-driver overlay \
    pull --quiet "oci:/layouts/$number:$name"
  number=$((number + 1))
done
