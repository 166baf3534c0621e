import { isGood, type Proof } from "../proof/kept.ts";
import { moment, span } from "./layout.ts";
import { pageOf } from "./page.ts";
import { type Report, valueOf } from "./report.ts";
import type { FencingStatus, Views, Wrong } from "./status.ts";

/** The timer is daily, with half a day of chance: after so long it does not run. */
const old_ms = 3 * 86_400_000;

/** Behind what the fence device's own monitor proves. Nothing, where only the peer keeps it. */
export function testText({ test }: FencingStatus, now_ms: number): string {
  const proof = valueOf(test);
  if (proof === undefined) return "";
  if (proof === null) return "; never tested (`duet fence-test`)";
  if (isGood(proof)) return `; tested ${moment(proof.at_ms, now_ms)}`;
  const good = proof.good_ms === null ? "never well" : `well last ${moment(proof.good_ms, now_ms)}`;
  return `; its last test FAILED ${moment(proof.at_ms, now_ms)}, ${good}`;
}

/** A test that failed, whole or for one way of several, and one that nobody makes any more. */
export function testWrongs({ by, target, test }: FencingStatus, views: Views): readonly Wrong[] {
  const proof = valueOf(test);
  const report = valueOf(views.reports[by]);
  if (proof === undefined || proof === null || proof.target !== target || report === undefined) return [];
  if (isGood(proof)) return isOld(proof, report) ? [oldWrong(by, target, report.at_ms - proof.at_ms)] : [];
  const others = proof.ways.filter(({ ok, way }) => ok && way !== "Pacemaker").map(({ way }) => way);
  const left = others.length === 0 ? "" : `; the ${others.join(" and ")} would do it`;
  const since = moment(proof.failing_ms ?? proof.at_ms, report.at_ms);
  return proof.ways
    .filter(({ ok }) => !ok)
    .map(({ way, why, fix, code }) => ({
      code: code ?? "DUET-E-FENCE-PROOF",
      where: by,
      what: `could not prove that it can switch ${target} off (${way}), since ${since}: ${why}${left}`,
      fix: `${fix || "see its page"}; then \`duet fence-test ${target}\` on ${by}`,
      page: pageOf(code ?? "DUET-E-FENCE-PROOF"),
    }));
}

const isOld = ({ at_ms }: Proof, report: Report): boolean =>
  report.at_ms - at_ms > old_ms && report.up_s * 1000 > old_ms;

const oldWrong = (by: string, target: string, age_ms: number): Wrong => ({
  code: "DUET-E-FENCE-PROOF-OLD",
  where: by,
  what: `has not tested for ${span(age_ms)} whether it can switch ${target} off`,
  fix: "see `systemctl status duet-fence-test.timer duet-fence-test.service` there",
  page: pageOf("DUET-E-FENCE-PROOF-OLD"),
});
