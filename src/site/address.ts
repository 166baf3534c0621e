import { isIP, isIPv4, isIPv6 } from "node:net";

/** One spelling for each address, so that two spellings of one address compare equal; undefined for what is none. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return new URL(`https://[${text}]/`).hostname.slice(1, -1);
}

export type Family = 4 | 6;

/** Of a canonical address. */
export function family(address: string): Family {
  return address.includes(":") ? 6 : 4;
}

/** Can another machine reach this? Not where it means "here", "everyone", or needs the name of an interface. */
export function isReachable(address: string): boolean {
  if (family(address) === 6) return !/^(::1?$|::ffff:|fe[89ab]|ff)/.test(address);
  const [first = 0, second = 0] = address.split(".").map(Number);
  return first !== 0 && first !== 127 && first < 224 && !(first === 169 && second === 254);
}

export interface HostPort {
  /** A canonical address without brackets, or a host name in lower case. */
  readonly host: string;
  readonly port: number;
}

const host_name = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const port_https = 443;

/** `https://host[:port]`, `host`, `host:port`, `address`, `[address]:port`. */
export function parseEndpoint(text: string): HostPort | undefined {
  const bare = text.replace(/^https:\/\//i, "").replace(/\/$/, "");
  if (isIPv6(bare)) return endpoint(bare, undefined);
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(bare);
  if (bracketed !== null) {
    const [, inside = "", port] = bracketed;
    return isIPv6(inside) ? endpoint(inside, port) : undefined;
  }
  const plain = /^([^:]*)(?::(\d{1,5}))?$/.exec(bare);
  return plain === null ? undefined : endpoint(plain[1] ?? "", plain[2]);
}

function endpoint(host_text: string, port_text: string | undefined): HostPort | undefined {
  const port = port_text === undefined ? port_https : Number(port_text);
  if (port < 1 || port > 65_535) return undefined;
  const address = canonicalAddress(host_text);
  if (address !== undefined) return { host: address, port };
  const host = host_text.toLowerCase();
  // A last label of digits only is a mistyped address (192.0.2.300), and some resolvers take it for one.
  if (!host_name.test(host) || /(^|\.)\d+$/.test(host)) return undefined;
  return { host, port };
}

export function urlOf({ host, port }: HostPort): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}${port === port_https ? "" : `:${port}`}`;
}
