/** What the lab builds. The Go modules beside this file, and `lab/etcd36`, pin the same versions; a test holds them together. */
export const kubernetes_version = "1.36.3";
export const crio_version = "1.36.1";
export const coredns_version = "1.14.7";
/** On machines with Kubernetes; the others have Debian's 3.5. */
export const etcd_version = "3.6.16";
