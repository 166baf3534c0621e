import * as v from "valibot";
import type { Site } from "../../site/site.ts";
import type { Finding } from "../check/finding.ts";
import { machineNamed } from "../credentials/keeper.ts";
import { Ways } from "../hands/ways.ts";
import { callDuet } from "../remote.ts";
import { costsOf } from "./disruptive.ts";
import { type Asked, type FenceTestReport, noConsent } from "./here.ts";
import { proofShape } from "./kept.ts";

/** Each call to a BMC at its slowest, several times over. */
const harmless_ms = 5 * 60_000;
/** A server that tests all of its memory at boot. */
const disruptive_ms = 30 * 60_000;

const finding = v.object({
  subject: v.string(),
  check: v.string(),
  mark: v.picklist(["ok", "warn", "fail", "note"]),
  detail: v.string(),
  ms: v.optional(v.number()),
  margin_ms: v.optional(v.number()),
  fix: v.optional(v.string()),
  code: v.optional(v.string()),
});
const reportShape = v.object({
  ...proofShape.entries,
  ok: v.boolean(),
  findings: v.array(finding),
  off_ms: v.nullable(v.number()),
});

export interface FromSeat extends Pick<Asked, "disruptive" | "consents" | "step"> {
  readonly site: Site;
  readonly folder: string;
  readonly ssh_config: string | undefined;
}

/** From an operator's computer: over ssh on the machine that would do it. */
export async function fenceTestFromSeat(from: FromSeat, target: string): Promise<FenceTestReport> {
  const { site, folder, disruptive } = from;
  machineNamed(from, target);
  const by = site.machines.find(({ name }) => name !== target)?.name ?? "";
  const ways = new Ways({ site, me: by, folder });
  if (disruptive && !(await from.consents(costsOf(ways, undefined)))) return noConsent(target);
  const report = await from.step(
    disruptive ? `switch ${target} off and on again, by ${by}` : `prove that ${by} can switch ${target} off`,
    () =>
      callDuet(ways.mine, reportShape, {
        words: ["fence-test", target, ...(disruptive ? ["--disruptive", "--yes"] : [])],
        ssh_config: from.ssh_config,
        deadline_ms: disruptive ? disruptive_ms : harmless_ms,
      }),
  );
  return { ...report, findings: report.findings.map(asFinding) };
}

const asFinding = ({ ms, margin_ms, fix, code, ...each }: v.InferOutput<typeof finding>): Finding => ({
  ...each,
  ...(ms === undefined ? {} : { ms }),
  ...(margin_ms === undefined ? {} : { margin_ms }),
  ...(fix === undefined ? {} : { fix }),
  ...(code === undefined ? {} : { code }),
});
