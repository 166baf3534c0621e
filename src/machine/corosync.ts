import { readFile, stat } from "node:fs/promises";
import { fail } from "../base/problem.ts";
import { isMissing } from "./files.ts";
import { run } from "./process.ts";

/** Corosync as its own tools and its own file tell it. */

export interface Membership {
  /**
   * `representative.sequence`, hexadecimal, as Corosync prints it. The sequence only grows: Corosync writes it to disk before it
   * forms the ring, and a restarted one goes on from there. So within a boot a name is used once.
   */
  readonly ring: string;
  /** Of this machine. */
  readonly nodeId: number;
  readonly members: readonly number[];
  readonly quorate: boolean;
}

const status_quorate = 0;
const status_not_quorate = 2;

/** Throws DuetError where Corosync is not up, or does not answer. */
export async function membership(deadline_ms: number): Promise<Membership> {
  const { status, stdout, stderr } = await run(["corosync-quorumtool", "-s"], {
    accept: "any",
    deadline_ms,
    env: { LC_ALL: "C" },
  });
  const found =
    status === status_quorate || status === status_not_quorate ? parseMembership(stdout) : undefined;
  if (found !== undefined) return found;
  const said = stderr.trim().split("\n").at(-1) ?? "";
  return fail(
    "DUET-E-COROSYNC-SILENT",
    "corosync",
    `Corosync does not tell its membership: ${said || `status ${status}`}`,
    "see `systemctl status corosync`",
  );
}

/** The output of `corosync-quorumtool -s`. */
export function parseMembership(text: string): Membership | undefined {
  const field = (name: string) => new RegExp(`^${name}: +(\\S+)`, "m").exec(text)?.[1];
  const [ring, nodeId, quorate] = [field("Ring ID"), field("Node ID"), field("Quorate")];
  const [, table] = text.split("Membership information");
  if (ring === undefined || !ringForm.test(ring) || nodeId === undefined || table === undefined)
    return undefined;
  const members = [...table.matchAll(/^ +([0-9]+) +[0-9]+ /gm)].map(([, id]) => Number(id));
  if (!members.includes(Number(nodeId)) || (quorate !== "Yes" && quorate !== "No")) return undefined;
  return { ring, nodeId: Number(nodeId), members, quorate: quorate === "Yes" };
}

/** What votequorum runs with, in its own words: `2Node`, `WaitForAll`, `Qdevice`, ... Undefined where it does not tell. */
export async function quorumFlags(deadline_ms: number): Promise<readonly string[] | undefined> {
  const { stdout } = await run(["corosync-quorumtool", "-s"], {
    accept: "any",
    deadline_ms,
    env: { LC_ALL: "C" },
  });
  return parseFlags(stdout);
}

export function parseFlags(text: string): readonly string[] | undefined {
  const line = /^Flags: (.*)$/m.exec(text)?.[1];
  return line?.split(" ").filter((each) => each !== "");
}

const ringForm = /^[0-9a-f]+\.[0-9a-f]+$/;

const state_folder = "/var/lib/corosync";

/**
 * When the ring was formed, by the system's clock; undefined where that can't be told. Corosync stores a ring's sequence in the
 * moment in which it forms it, milliseconds before it is told to anybody. A newer sequence in the file is of a ring that is
 * still being formed.
 */
export async function formedAt_ms(
  { ring, nodeId }: Membership,
  folder: string = state_folder,
): Promise<number | undefined> {
  const path = `${folder}/ringid_${nodeId}`;
  try {
    const before = await stat(path);
    const content = await readFile(path);
    const after = await stat(path);
    const sequence = BigInt(`0x${ring.split(".")[1] ?? ""}`);
    const same = before.mtimeMs === after.mtimeMs && content.length === 8;
    return same && content.readBigUInt64LE() === sequence ? after.mtimeMs : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Corosync was not run for a while: this machine stood still, or was too busy. Its peer heard nothing of it. */
export interface Standstill {
  /** By the system's clock. */
  readonly ended_ms: number;
  readonly lasted_ms: number;
}

/** The last ten, newest first. Corosync notes what is longer than 0.8 of its token. */
export async function standstills(deadline_ms: number): Promise<readonly Standstill[]> {
  return parseStandstills(await keys("stats", "stats.schedmiss.", deadline_ms));
}

export function parseStandstills(text: string): readonly Standstill[] {
  const values = parseKeys(text);
  const found: Standstill[] = [];
  for (let index = 0; ; index++) {
    const ended_ms = values.get(`stats.schedmiss.${index}.timestamp`);
    const lasted_ms = values.get(`stats.schedmiss.${index}.delay`);
    if (ended_ms === undefined || lasted_ms === undefined) return found;
    found.push({ ended_ms: Number(ended_ms), lasted_ms: Number(lasted_ms) });
  }
}

export interface Detection {
  readonly token_ms: number;
  readonly consensus_ms: number;
}

/** As they are in force, which is not always what the file says. */
export async function detection(deadline_ms: number): Promise<Detection | undefined> {
  return parseDetection(await keys("icmap", "runtime.config.totem.", deadline_ms));
}

export function parseDetection(text: string): Detection | undefined {
  const values = parseKeys(text);
  const [token, consensus] = ["token", "consensus"].map((name) => values.get(`runtime.config.totem.${name}`));
  return token === undefined || consensus === undefined
    ? undefined
    : { token_ms: Number(token), consensus_ms: Number(consensus) };
}

const waits = "runtime.votequorum.wait_for_all_status";

/** Does a machine that is alone since its boot still wait for all? */
export async function waitsForAll(deadline_ms: number): Promise<boolean | undefined> {
  const value = parseKeys(await keys("icmap", waits, deadline_ms)).get(waits);
  return value === undefined ? undefined : value === "1";
}

/** The lone machine's quorum. Corosync takes the wish at once and grants it a moment later: look at `waitsForAll` afterwards. */
export async function cancelWaitForAll(deadline_ms: number): Promise<void> {
  await run(["corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"], { deadline_ms });
}

/** With no such key the tool ends with 1, as it does where Corosync is not up: there its message is another. */
async function keys(map: "icmap" | "stats", prefix: string, deadline_ms: number): Promise<string> {
  const { status, stdout, stderr } = await run(["corosync-cmapctl", "-m", map, prefix], {
    accept: [0, 1],
    deadline_ms,
    env: { LC_ALL: "C" },
  });
  if (status !== 0 && /initialize|connect/i.test(stderr))
    fail(
      "DUET-E-COROSYNC-SILENT",
      "corosync",
      `Corosync does not answer: ${stderr.trim()}`,
      "see `systemctl status corosync`",
    );
  return stdout;
}

/** Lines such as `runtime.config.totem.token (u32) = 1500`. */
function parseKeys(text: string): ReadonlyMap<string, string> {
  const lines = [...text.matchAll(/^(\S+) \([a-z0-9]+\) = (.*)$/gm)];
  return new Map(lines.map(([, key = "", value = ""]) => [key, value.trim()]));
}
