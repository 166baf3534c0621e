/** A Debian package of the host: why it is there, and the file or program that shows that it is. */
export interface HostPackage {
  readonly name: string;
  readonly why: string;
  /** A program on the path, or an absolute path. Looking is a thousand times faster than asking dpkg. */
  readonly shows: string;
  /** "tests" is needed by `npm test` only, "kubernetes" by the building of Kubernetes only. */
  readonly for: "lab" | "tests" | "kubernetes";
}

export const hostPackages: readonly HostPackage[] = [
  {
    name: "systemd-container",
    why: "systemd-nspawn: a machine is a container that boots its own systemd",
    shows: "systemd-nspawn",
    for: "lab",
  },
  {
    name: "mmdebstrap",
    why: "builds the machines' OS image from Debian packages",
    shows: "mmdebstrap",
    for: "lab",
  },
  {
    name: "debian-archive-keyring",
    why: "mmdebstrap checks the image's packages against it; Debian has it, its derivatives may not",
    shows: "/usr/share/keyrings/debian-archive-keyring.gpg",
    for: "lab",
  },
  {
    name: "e2fsprogs",
    why: "mkfs.ext4 and resize2fs: a machine's disk is an ext4 image",
    shows: "mkfs.ext4",
    for: "lab",
  },
  {
    name: "xfsprogs",
    why: "xfs_io: shuts a file system down at a power cut, so that what was not synced is lost",
    shows: "xfs_io",
    for: "lab",
  },
  {
    name: "iproute2",
    why: "ip: network namespaces, bridges and veth pairs are the wires",
    shows: "ip",
    for: "lab",
  },
  { name: "nftables", why: "nft: cuts a wire in one direction only", shows: "nft", for: "lab" },
  {
    name: "openssh-client",
    why: "ssh and ssh-keygen: the operator's seat reaches the machines as at a real site",
    shows: "ssh",
    for: "lab",
  },
  { name: "openssl", why: "makes the BMCs' certificates", shows: "openssl", for: "lab" },
  { name: "iputils-ping", why: "ping: shows that a wire carries", shows: "ping", for: "lab" },
  { name: "procps", why: "ps: finds what a lab left behind", shows: "ps", for: "lab" },
  {
    name: "gcc",
    why: "builds pinns, the one part of CRI-O that is C",
    shows: "gcc",
    for: "kubernetes",
  },
  {
    name: "libc6-dev",
    why: "the C library that pinns is linked with",
    shows: "/usr/include/stdlib.h",
    for: "kubernetes",
  },
  {
    name: "python3-venv",
    why: "a place for the Python Redfish clients that test the BMC",
    shows: "/var/lib/dpkg/info/python3-venv.list",
    for: "tests",
  },
  { name: "shellcheck", why: "checks the shell files", shows: "shellcheck", for: "tests" },
];
