import { etcdPorts } from "../../base/paths.ts";
import { sleep } from "../../machine/clock.ts";
import type { Endpoint } from "../../machine/etcd/client.ts";
import { tryConnect } from "../../machine/tcp.ts";
import { clientUrls } from "../../render/etcd.ts";
import type { Machine } from "../../site/site.ts";

export const connect_ms = 500;
const next_ms = 100;

/** The URL of a machine's etcd by the first link that lets in; or, where none does, what the first of them says. */
export async function linkTo(
  machine: Machine,
  tls: Endpoint["tls"],
): Promise<{ readonly url: string; readonly why?: string }> {
  const urls = clientUrls(machine);
  let found = false;
  const tries = machine.addresses.map(async (address, index) => {
    // The others only where the first is silent for a while: each handshake costs both machines something.
    await sleep(index * next_ms);
    if (found) throw new Error("another link was faster");
    const made = await tryConnect(address, etcdPorts.client, connect_ms, tls);
    if (!made.ok) throw new Error(made.why);
    found = true;
    return { url: urls[index] ?? "" };
  });
  return await Promise.any(tries).catch(async () => {
    const [first] = await Promise.allSettled(tries);
    const why = first?.status === "rejected" && first.reason instanceof Error ? first.reason.message : "";
    return { url: urls[0] ?? "", why };
  });
}
