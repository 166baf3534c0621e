import type { Secret } from "../base/secret.ts";

/** What the user wrote, checked and with every default filled in. Nothing here is secret: credentials are references. */
export interface Site {
  readonly name: string;
  readonly topology: Topology;
  /** In the order of the file. A `dual-replica` site has exactly two. */
  readonly machines: readonly Machine[];
  /** Public keys that may log in to the machines as root: paths of files, relative to the site file. */
  readonly ssh_keys: readonly string[];
  /** The API's virtual IP, where the site has no load balancer of its own. */
  readonly api?: { readonly address: string };
  /** The control plane that duet makes; absent where the machines have one of their own, or none. */
  readonly kubernetes?: Kubernetes;
  readonly fencing: {
    /** By which agent Pacemaker switches a machine off: duet's own, or the stock one (docs/fencing.md says what is lost). */
    readonly agent: FenceAgent;
    /** Who wins when the wire between two healthy machines is cut: a machine's name, or whoever leads. */
    readonly preferred: string;
    /** When CRI-O or the kubelet can't be stopped: it is left and shown, or its machine is fenced. */
    readonly stop_failure: "block" | "fence";
    /** `setup`: consent to switch each machine off once, at its first setup, to measure how long that takes. */
    readonly test: "off" | "setup";
  };
  /** `off` gives up starting alone without a human (design 3.7). */
  readonly witness: "on" | "off";
  readonly timeouts: Timeouts;
  /** Who is told what happens here; empty: nobody. */
  readonly alerts: readonly Alert[];
}

export interface Kubernetes {
  /** `1.36.3`: what the images are. */
  readonly version: string;
  /** Networks in canonical form, `198.18.0.0/16`, of the family of the machines' first link. */
  readonly pods: string;
  readonly services: string;
  /** Further names and addresses that the API is called by. */
  readonly names: readonly string[];
  readonly images: {
    readonly apiserver: string;
    readonly controller_manager: string;
    readonly scheduler: string;
    readonly proxy: string;
    readonly dns: string;
    readonly pause: string;
  };
}

export type FenceAgent = "fence_duet" | "fence_redfish";
export type Alert =
  | {
      readonly by: "webhook";
      /** The address itself, or the file that holds it where it is secret. */
      readonly url: string | { readonly file: string };
      /** A file with a header on each line; its values are secret. */
      readonly headers?: string;
      readonly trust: Trust;
    }
  | { readonly by: "mail"; readonly to: readonly string[]; readonly from?: string }
  | { readonly by: "syslog"; readonly facility: string };

export type Topology = "dual-replica" | "pair" | "single";

export interface Machine {
  readonly name: string;
  /** One address per cluster link, one or two links. IPv4 or IPv6, without brackets, in canonical form. */
  readonly addresses: readonly string[];
  readonly bmc: Bmc;
  /**
   * A second way to prove Off: the outlets that feed machine and BMC, all of them together, in the order in which they are switched.
   * Empty: there is none.
   */
  readonly pdus: readonly Pdu[];
}

export interface Endpoint {
  /** `https://host[:port]`, IPv6 in brackets, no path. */
  readonly url: string;
  readonly credentials: CredentialsRef;
  readonly trust: Trust;
}

export interface Bmc extends Endpoint {
  /** Path of the one System to control; needed only where the BMC has more than one. */
  readonly system?: string;
}

/** One outlet of a PDU. */
export interface Pdu extends Endpoint {
  /** Path of the Redfish Outlet resource. */
  readonly outlet: string;
}

/** Where the credentials are. Either holds one line, `username:password`, split at the first colon, taken literally. */
export type CredentialsRef = { readonly file: string } | { readonly env: string };

export type Trust =
  | { readonly by: "system" }
  | { readonly by: "ca"; readonly file: string }
  /** SHA-256 of the certificate, hex, lower case, no colons. */
  | { readonly by: "fingerprint"; readonly sha256: string }
  | { readonly by: "nothing" };

export interface Timeouts {
  /** Corosync's token: how long a silent peer is still believed alive. */
  readonly token_ms: number;
  /** One call to a BMC, from connect to last byte. */
  readonly bmc_call_ms: number;
  /** One whole fence: ask for Off until Off is confirmed. */
  readonly fence_ms: number;
}

export interface Credentials {
  readonly username: string;
  readonly password: Secret;
}
