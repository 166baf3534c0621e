#!/bin/sh
# with-root.sh FOLDER IMAGE LAYERS COMMAND...: runs a command while a machine without power has its disk mounted at
# FOLDER/disk and its root at FOLDER/root. The mounts are in a namespace of this process and end with it.
set -eu
if [ "${DUET_MOUNTS-}" != own ]; then
  DUET_MOUNTS=own exec unshare --mount --propagation private sh "$0" "$@"
fi
folder=$1 image=$2 layers=$3
shift 3
mount -o loop,errors=remount-ro "$folder/disk.img" "$folder/disk"
mkdir -p "$folder/disk/upper" "$folder/disk/work" "$folder/disk/containers"
mount -t overlay overlay -o "lowerdir=$layers:$image,upperdir=$folder/disk/upper,workdir=$folder/disk/work" "$folder/root"
exec "$@"
