import { join } from "node:path";
import { kubernetesNames } from "./programs.ts";
import { coredns_version, kubernetes_version } from "./versions.ts";

/** The container images of a lab, from scratch: a program and what it needs to run, no registry. */
export interface ContainerImage {
  readonly name: string;
  /** By the path in the image: the file on the host. */
  readonly files: Readonly<Record<string, string>>;
  /** By the path in the image: where the link leads. */
  readonly links: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
}

const own = (name: string, tag: string): string => `localhost/duet-lab/${name}:${tag}`;
const kubernetes = own("kubernetes", `v${kubernetes_version}`);

/** As the site's `kubernetes.images` names them. */
export const imageNames = {
  apiserver: kubernetes,
  controller_manager: kubernetes,
  scheduler: kubernetes,
  proxy: kubernetes,
  dns: own("coredns", `v${coredns_version}`),
  pause: own("pause", "1"),
} as const;
/** What tests run in pods: a shell, a web server, a resolver. */
export const workloadImage = own("busybox", "1");

/** Where the files come from. */
export interface Sources {
  readonly hyperkube: string;
  readonly coredns: string;
  readonly pause: string;
  /** The root folder of the machines' OS image. */
  readonly root: string;
  /** What kube-proxy's `nft` loads, as paths in that root. */
  readonly libraries: readonly string[];
  /** The names that busybox answers to. */
  readonly applets: readonly string[];
}

/** Debian has one folder for both; programs ask for their loader by the old path. */
const mergedUsr = { "/bin": "usr/bin", "/sbin": "usr/sbin", "/lib": "usr/lib", "/lib64": "usr/lib64" };

export function containerImages(from: Sources): readonly ContainerImage[] {
  const ofRoot = (path: string): string => join(from.root, path);
  const nft = "/usr/sbin/nft";
  return [
    {
      name: kubernetes,
      files: {
        "/usr/local/bin/hyperkube": join(from.hyperkube, "hyperkube"),
        ...Object.fromEntries([nft, ...from.libraries].map((path) => [inUsr(path), ofRoot(path)])),
      },
      links: {
        ...mergedUsr,
        ...Object.fromEntries(kubernetesNames.map((name) => [`/usr/local/bin/${name}`, "hyperkube"])),
      },
    },
    {
      name: imageNames.dns,
      files: { "/coredns": join(from.coredns, "coredns") },
      links: {},
      entrypoint: ["/coredns"],
    },
    {
      name: imageNames.pause,
      files: { "/pause": join(from.pause, "pause") },
      links: {},
      entrypoint: ["/pause"],
    },
    {
      name: workloadImage,
      files: { "/usr/bin/busybox": ofRoot("/usr/bin/busybox") },
      links: {
        ...mergedUsr,
        ...Object.fromEntries(
          from.applets.filter((name) => name !== "busybox").map((name) => [`/usr/bin/${name}`, "busybox"]),
        ),
      },
      command: ["sh"],
    },
  ];
}

/** `/lib/x` is `/usr/lib/x`, behind a link that the image has too. */
const inUsr = (path: string): string => (path.startsWith("/usr/") ? path : `/usr${path}`);

/** The files that a dynamic program loads, from what `ldd` says: `name => path (address)`, or a loader's path alone. */
export function librariesIn(ldd: string): readonly string[] {
  return ldd.split("\n").flatMap((line) => /(?:=>|^\s*)\s*(\/\S+) \(0x[0-9a-f]+\)$/.exec(line)?.[1] ?? []);
}
