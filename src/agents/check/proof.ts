import { isGood } from "../proof/kept.ts";
import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

const old_ms = 3 * 86_400_000;
const check = "fence test";

/** What a machine's own last test of fencing its peer has shown, and how old that is; nothing of a machine that is not set up. */
export function judgeProof(
  subject: string,
  { setup, proof, clock }: Pick<ProbeReport, "setup" | "proof" | "clock">,
): readonly Finding[] {
  if (setup === undefined) return [];
  if (proof === undefined)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: "it has not tested yet whether it can switch its peer off",
        fix: "`duet fence-test` there; setup does it, and a timer each day",
      },
    ];
  const at = new Date(proof.at_ms).toISOString();
  const base = { subject, check } as const;
  if (!isGood(proof)) {
    const wrong = proof.ways.find(({ ok }) => !ok);
    const since = new Date(proof.failing_ms ?? proof.at_ms).toISOString();
    return [
      {
        ...base,
        mark: "fail",
        detail: `${at}: not proven that it can switch ${proof.target} off, since ${since}: ${wrong?.way ?? ""}: ${wrong?.why ?? ""}`,
        fix: `${wrong?.fix || "see its page"}; then \`duet fence-test ${proof.target}\``,
        code: wrong?.code ?? "DUET-E-FENCE-PROOF",
      },
    ];
  }
  const ways = proof.ways.map(({ way }) => way).join(", ");
  if (clock.end_ms - proof.at_ms > old_ms)
    return [
      {
        ...base,
        mark: "warn",
        detail: `${at}: proven then that it can switch ${proof.target} off (${ways}); that is more than three days ago`,
        fix: "see `systemctl status duet-fence-test.timer` there, or run `duet fence-test`",
        code: "DUET-E-FENCE-PROOF-OLD",
      },
    ];
  return [{ ...base, mark: "ok", detail: `${at}: it can switch ${proof.target} off (${ways})` }];
}
