#!/bin/sh
# customize.sh ROOT: what turns a plain Debian root into the OS of a lab machine. Runs once, when the image is built.
set -eu
root=$1

# As on CoreOS: nothing starts unless a preset says so. Debian would start Corosync, etcd and pcsd on their own.
mkdir -p "$root/etc/systemd/system-preset"
cat > "$root/etc/systemd/system-preset/99-duet-image.preset" <<'EOF'
enable ssh.service
enable sshd-keygen.service
enable systemd-networkd.service
enable systemd-networkd-wait-online.service
enable dbus.service
disable *
EOF

# Each machine makes its own host keys at its first boot.
rm -f "$root"/etc/ssh/ssh_host_*
cat > "$root/etc/systemd/system/sshd-keygen.service" <<'EOF'
[Unit]
Description=Host keys of this machine
Before=ssh.service
ConditionFileNotEmpty=!/etc/ssh/ssh_host_ed25519_key
[Service]
Type=oneshot
ExecStart=/usr/bin/ssh-keygen -q -N "" -t ed25519 -f /etc/ssh/ssh_host_ed25519_key
[Install]
WantedBy=multi-user.target
EOF

# One address is enough to be online: a machine whose second link is unplugged must boot as fast as any other.
mkdir -p "$root/etc/systemd/system/systemd-networkd-wait-online.service.d"
cat > "$root/etc/systemd/system/systemd-networkd-wait-online.service.d/any.conf" <<'EOF'
[Service]
ExecStart=
ExecStart=/usr/lib/systemd/systemd-networkd-wait-online --any --timeout=30
EOF

# Chores of a long-lived server, and questions at a console that nobody watches.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
  systemd-firstboot.service console-getty.service getty@.service systemd-timesyncd.service \
  ldconfig.service systemd-journal-catalog-update.service systemd-hwdb-update.service systemd-udev-settle.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done

# Debian ships a one-machine Corosync that would be up before Ignition's is read.
rm -f "$root/etc/corosync/corosync.conf"
# Corosync has a real-time priority, as on metal, but only once it is up: the lab gives a machine a small share of such time (lab/cgroup.ts), and
# to lock its memory costs Corosync seconds of it on a virtual host. So it is not let to take the priority itself.
mkdir -p "$root/etc/systemd/system/corosync.service.d"
cat > "$root/etc/systemd/system/corosync.service.d/duet-lab-real-time.conf" <<'EOF'
[Service]
RestrictRealtime=yes
ExecStartPost=-+/usr/bin/chrt --all-tasks --rr --pid 99 $MAINPID
EOF
# Debian's Ignition always relabels what it wrote for SELinux, which this OS does not have: a labeller with nothing to do.
mkdir -p "$root/etc/selinux"
printf 'SELINUX=disabled\nSELINUXTYPE=none\n' > "$root/etc/selinux/config"
printf '#!/bin/sh\nexec cat > /dev/null\n' > "$root/usr/local/sbin/setfiles"
chmod 755 "$root/usr/local/sbin/setfiles"
# The journal is a machine's memory of a failover: kept over a power cut, bounded, without the host kernel's lines.
mkdir -p "$root/etc/systemd/journald.conf.d" "$root/var/log/journal"
printf '[Journal]\nStorage=persistent\nSystemMaxUse=64M\nSyncIntervalSec=2s\nReadKMsg=no\n' > "$root/etc/systemd/journald.conf.d/duet-image.conf"
# The next boot is a first boot: presets are applied and an id is made. An empty file would not do: see machine-id(5).
echo uninitialized > "$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/etc/resolv.conf"
# Unit states come from the presets at the first boot, not from what Debian's scripts did here.
find "$root/etc/systemd/system" -type l -path '*.wants/*' -delete
