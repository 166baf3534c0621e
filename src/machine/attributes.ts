import { fail } from "../base/problem.ts";
import { run } from "./process.ts";
import { allNamed, parseXml } from "./xml.ts";

/**
 * Transient attributes of machines, in the memory of Pacemaker's attribute daemons: every machine of the membership sees them,
 * and a machine's end with its membership. They are private, which says that they never get into the CIB: written there, each
 * would make the scheduler begin anew, and a machine that comes back with an old CIB could bring old ones back.
 *
 * `ordered`: done only when the value is read here too. All machines see all values come in one order, so of two that each set one
 * and then look for the other's, at least one sees it. Without that it is only on its way.
 */
export async function setAttribute(
  name: string,
  value: string,
  deadline_ms: number,
  ordered = false,
): Promise<void> {
  const wait = ordered ? ["--wait=local"] : [];
  await run(["attrd_updater", "--name", name, "--update", value, "--private", ...wait], { deadline_ms });
}

/** One that the scheduler goes by: it is in the CIB, and each change of it makes Pacemaker plan anew. It ends with the membership, too. */
export async function setScore(name: string, value: string, deadline_ms: number): Promise<void> {
  await run(["attrd_updater", "--name", name, "--update", value], { deadline_ms });
}

/** As if it had never been said. */
export async function dropAttribute(name: string, deadline_ms: number): Promise<void> {
  await run(["attrd_updater", "--name", name, "--delete", "--private"], { deadline_ms });
}

const status_no_such_name = 78;

/** One machine's value as this machine's daemon has it; undefined where there is none. */
export async function attributeOf(
  machine: string,
  name: string,
  deadline_ms: number,
): Promise<string | undefined> {
  const query = ["--query", "--name", name, "--node", machine, "--output-as=xml"] as const;
  const { status, stdout, stderr } = await run(["attrd_updater", ...query], { accept: "any", deadline_ms });
  if (status === status_no_such_name) return undefined;
  if (status === 0) return parseAttribute(stdout, machine);
  return fail(
    "DUET-E-PACEMAKER-SILENT",
    "pacemaker",
    `Pacemaker does not tell its attributes (status ${status}): ${stderr.trim().split("\n").at(-1) ?? ""}`,
    "see `systemctl status pacemaker`",
  );
}

/** A machine that has no value, and a name that is no machine's, both read as an empty one. */
export function parseAttribute(xml: string, machine: string): string | undefined {
  const found = allNamed(parseXml(xml), "attribute").find((each) => each.getAttribute("host") === machine);
  return found?.getAttribute("value") || undefined;
}

/** Of a promotable resource on this machine. Unlike the others it is for the scheduler, and in the CIB. */
export async function setPromotionScore(
  resource: string,
  score: number | undefined,
  deadline_ms: number,
): Promise<void> {
  const what = score === undefined ? ["--delete"] : ["--update", String(score)];
  await run(["crm_attribute", "--promotion", resource, ...what], { deadline_ms });
}

/** The name under which Pacemaker keeps it. */
export const promotionAttribute = (resource: string): string => `master-${resource}`;
