#!/bin/sh
# ignite.sh ROOT STAGED: applies STAGED/config.ign to a machine's root with the Ignition of its own OS image, in the three
# stages that CoreOS runs from its initramfs. STAGED/etc is what the OS installation left: the network's configuration.
set -eu
root=$1 staged=$2
cp -r "$staged/etc" "$root/"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755 tmpfs "$root/run"
cp "$staged/config.ign" "$root/run/config.ign"
for stage in fetch-offline fetch files; do
  IGNITION_CONFIG_FILE=/run/config.ign chroot "$root" /usr/lib/dracut/modules.d/30ignition/ignition \
    --root / --platform file --stage "$stage" --log-to-stdout \
    --config-cache /run/ignition.json --state-file /run/ignition.state --neednet /run/ignition.neednet \
    > "$root/run/ignition.log" 2>&1 || {
    # Its log repeats the whole configuration, secrets too: only the lines that say what went wrong get out.
    grep -E '^(CRITICAL|ERROR)' "$root/run/ignition.log" >&2
    exit 1
  }
done
