import { run } from "../../machine/process.ts";
import { tryConnect } from "../../machine/tcp.ts";
import type { Finding } from "./finding.ts";

export interface Reach {
  readonly address: string;
  /** "no program": there is no ping here, and nothing was learnt. */
  readonly ping: { readonly ms: number } | "silent" | "no program";
  readonly ssh: { readonly ms: number } | "silent";
}

const port_ssh = 22;
const pings = 3;

export async function reach(address: string, port = port_ssh): Promise<Reach> {
  const [ping, tcp] = await Promise.all([pingOnce(address), tryConnect(address, port, 5_000)]);
  return { address, ping, ssh: tcp.ok ? { ms: tcp.ms } : "silent" };
}

/** Three, so that one lost packet is no alarm. */
async function pingOnce(address: string): Promise<Reach["ping"]> {
  const { status, stdout } = await run(["ping", "-n", "-c", String(pings), "-i", "0.2", "-W", "2", address], {
    accept: "any",
    deadline_ms: 10_000,
    env: { LC_ALL: "C" },
  });
  // 126 and 127: not there, or not allowed to send.
  if (status > 2) return "no program";
  const average = /= [\d.]+\/([\d.]+)\//.exec(stdout)?.[1];
  return status === 0 ? { ms: Number(average ?? 0) } : "silent";
}

const answers = ({ ping, ssh }: Reach): boolean => typeof ping === "object" || ssh !== "silent";

/** A machine that answers nowhere may not be installed yet; one that answers on one link only has a broken one. */
export function judgeLinks(subject: string, reaches: readonly Reach[]): readonly Finding[] {
  if (!reaches.some(answers))
    return [
      {
        subject,
        check: "addresses",
        mark: "warn",
        detail: `no answer on ${reaches.map((each) => each.address).join(", ")}`,
        fix: "normal before its first boot; otherwise see its power and wires",
      },
    ];
  return reaches.map((each, index) => judgeLink(subject, each, index));
}

function judgeLink(subject: string, { address, ping, ssh }: Reach, index: number): Finding {
  const check = `link ${index + 1}`;
  const ping_ms = typeof ping === "object" ? ping.ms : undefined;
  if (ssh !== "silent" && ping !== "silent")
    return { subject, check, mark: "ok", detail: address, ms: ping_ms ?? ssh.ms };
  if (ssh !== "silent")
    return {
      subject,
      check,
      mark: "warn",
      detail: `${address} answers ssh and no ping`,
      ms: ssh.ms,
      fix: "let ICMP echo pass: without it a broken link is hard to find",
    };
  if (ping_ms !== undefined)
    return {
      subject,
      check,
      mark: "warn",
      detail: `${address} answers ping, and nothing listens on TCP ${port_ssh}`,
      ms: ping_ms,
      fix: "see that sshd runs there and that no firewall is in the way; normal while it boots",
    };
  return {
    subject,
    check,
    mark: "fail",
    detail: `no answer on ${address}, but on another link of this machine`,
    fix: "see the wire of this link, and that the address in the site file is the machine's",
  };
}
