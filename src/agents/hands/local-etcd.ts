import { readFile } from "node:fs/promises";
import { closedPort, etcdPorts } from "../../base/paths.ts";
import { failed, type Outcome, success } from "../../act/effects.ts";
import { type Endpoint, memberList } from "../../machine/etcd/client.ts";
import { https } from "../../machine/https.ts";
import {
  type Certificate,
  clientUrls,
  localUrl,
  type NamedMember,
  peerUrls,
  tlsFile,
} from "../../render/etcd.ts";
import type { Machine, Site } from "../../site/site.ts";
import { failureOf, timer } from "./outcome.ts";
import type { Unit } from "./unit.ts";

/** What lets this machine in at an etcd: `client` at the clients' port, `peer` at the members' own. */
export async function loadTls(name: Exclude<Certificate, "ca">): Promise<Endpoint["tls"]> {
  const [ca, cert, key] = await Promise.all(
    [tlsFile("ca", "crt"), tlsFile(name, "crt"), tlsFile(name, "key")].map((path) => readFile(path, "utf8")),
  );
  return { ca: ca ?? "", cert: cert ?? "", key: key ?? "" };
}

/** The unit of this machine, at its site. */
export function unitAt(site: Site, self: Machine, peer: Machine): Omit<Unit, "noteHindrance"> {
  return {
    self: { name: self.name, peerUrls: peerUrls(self) },
    closedUrl: localUrl(site, closedPort),
    answers: (deadline_ms) => answers(localUrl(site, etcdPorts.peer), deadline_ms),
    peerMembers: (deadline_ms) => peerMembers(clientUrls(peer), deadline_ms),
  };
}

/** etcd serves the members' port when its data is loaded, and has a page there for whoever is let in. */
async function answers(url: string, deadline_ms: number): Promise<boolean> {
  let own: Endpoint["tls"];
  try {
    own = await loadTls("peer");
  } catch (error) {
    failureOf(error);
    // It can't be asked, and one that serves is not ended for that: the unit's word has to do.
    return true;
  }
  try {
    const tls = { ...own, minVersion: "TLSv1.2" } as const;
    const { status } = await https({ url: new URL("/version", url), method: "GET", tls, deadline_ms });
    return status === 200;
  } catch {
    return false;
  }
}

/** By one link after the other: one of them may be dead. */
async function peerMembers(
  urls: readonly string[],
  deadline_ms: number,
): Promise<Outcome<readonly NamedMember[]>> {
  const left_ms = timer(deadline_ms);
  const tls = await loadTls("client");
  let said = "it has no address";
  for (const [index, url] of urls.entries()) {
    const listed = await memberList({ url, tls }, left_ms() / (urls.length - index));
    if (listed.ok) return success(listed.value);
    said = listed.failure.said;
  }
  return failed("unreachable", `the peer's etcd does not list its members: ${said}`);
}
