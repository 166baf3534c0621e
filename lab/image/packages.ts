/** What the machines' OS image holds, and why. The image's cache key is made from this and from `image/*.sh`. */
export const suite = "trixie";

export const packages: Readonly<Record<string, string>> = {
  systemd: "a machine boots its own init",
  "systemd-sysv": "reboot, poweroff, init",
  "libpam-systemd": "shutdown by logind, as on metal",
  dbus: "systemctl and Pacemaker's systemd resources",
  udev: "networkd waits for it to name interfaces",
  iproute2: "ip",
  "iputils-ping": "ping, for people",
  nftables: "kube-proxy later; one-way cuts by hand",
  kmod: "expected by units",
  procps: "ps, sysctl",
  less: "for people",
  "ca-certificates": "trust in BMCs",
  openssl: "certificates at setup",
  corosync: "membership and quorum",
  pacemaker: "decides what runs where, asks for fencing",
  "pacemaker-cli-utils": "crm_mon, cibadmin, crm_verify",
  pcs: "what administrators of Pacemaker type",
  "fence-agents-redfish": "the stock fence agent",
  "resource-agents": "ocf-tester and the shell functions",
  "libxml2-utils": "xmllint, by which ocf-tester judges metadata",
  faketime: "a clock that jumps, for some processes and never for the box",
  "etcd-server": "etcd 3.5; labs with Kubernetes have 3.6 in a layer above it",
  "etcd-client": "etcdctl, etcdutl",
  podman: "etcd as a container, later",
  crun: "the runtime below podman and CRI-O",
  conmon: "the same",
  "openssh-server": "how an operator gets in",
  ignition: "applies the first boot's files, as on CoreOS",
  e2fsprogs: "a machine can look at its disk",
};

/** Only for labs with Kubernetes: the other labs' image has none of it, and is another image. */
export const kubernetesPackages: Readonly<Record<string, string>> = {
  "containernetworking-plugins": "a pod's interface, its address, and the bridge between pods",
  iptables: "Debian's network plugins masquerade with it",
  conntrack: "for people: which connections a machine has translated",
  "busybox-static": "the workloads of tests, as a container image",
};
