import { paths } from "../../base/paths.ts";
import { DuetError, exit, fail } from "../../base/problem.ts";
import { readIfThere } from "../../machine/files.ts";
import { readFenceTimes } from "../../machine/fence-times.ts";
import { isMaintained } from "../../machine/modes.ts";
import { clusterState } from "../../machine/pacemaker.ts";
import { forgetRefusals } from "../../machine/refusals.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import type { Finding } from "../check/finding.ts";
import { loadHands } from "../etcd/machine.ts";
import { offIsTrue } from "../hands/false-off.ts";
import { Ways } from "../hands/ways.ts";
import { costsOf, fenceTest, refuseUnlessWhole } from "./disruptive.ts";
import { devicesOf, type Harmless, isWhole, noteCalls, proveHarmless, turnHere } from "./harmless.ts";
import { isGood, keepProof, type Proof } from "./kept.ts";

const call_ms = 5_000;

/** What `duet fence-test` tells, here and over ssh. */
export interface FenceTestReport extends Proof {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** From the command until Off was read; null: it was not done. */
  readonly off_ms: number | null;
}

export interface Asked {
  /** Undefined: this machine's peer. */
  readonly target: string | undefined;
  readonly disruptive: boolean;
  /** For the record. */
  readonly who: string;
  /** Is told what it costs, and asks. */
  readonly consents: (costs: readonly string[]) => Promise<boolean>;
  readonly step: <T>(name: string, work: (say: (detail: string) => void) => Promise<T>) => Promise<T>;
}

/** On the machine that would do it. */
export async function fenceTestHere(asked: Asked): Promise<FenceTestReport> {
  const ways = await waysHere(asked.target);
  const { name } = ways.theirs;
  const { effects, recorder, saying } = await loadHands();
  const harmless = await asked.step(`prove that ${name} can be switched off, without harm`, () =>
    proveHere(ways, () => isWhole(effects)),
  );
  if (harmless.calls !== undefined) await noteCalls(ways, harmless.calls).catch(pacemakerIsSilent);
  const report = (off_ms: number | null): FenceTestReport => ({
    ...harmless.proof,
    ok: isGood(harmless.proof),
    findings: harmless.findings,
    off_ms,
  });
  if (!asked.disruptive || !isGood(harmless.proof)) return report(null);
  const look = async () => await refuseUnlessWhole(effects, name, await isMaintained(call_ms));
  await look();
  const times = (await readFenceTimes(ways.site))?.get(name);
  const costs = costsOf(ways, times);
  if (!(await asked.consents(costs))) return noConsent(name);
  recorder.admin(asked.who, `fence-test ${name} --disruptive`, costs.join(" "));
  const off_ms = await asked.step(`switch ${name} off and on again`, (say) =>
    fenceTest({ ways, effects, say }),
  );
  await saying.memory.change(offIsTrue);
  return report(off_ms);
}

/** Proves, and keeps what was seen for the status. */
export async function proveHere(
  ways: Ways,
  mayWrite: () => Promise<boolean>,
): Promise<Harmless & { readonly proof: Proof }> {
  const { name } = ways.theirs;
  const seen = await proveHarmless({
    ways,
    folder: siteFolder(paths.site),
    mayWrite,
    devices: devicesOf(name, async () => (await clusterState()) !== undefined),
    turn: turnHere(ways.site),
  });
  const proof = await keepProof({
    by: ways.mine.name,
    target: name,
    at_ms: Date.now(),
    ways: [...seen.ways],
  });
  // A fence that waits because its login was refused goes on.
  if (isGood(proof)) forgetRefusals(paths.run);
  return { ...seen, proof };
}

/** That Pacemaker does not take the times is told by the proof itself, where it does not run. */
function pacemakerIsSilent(error: unknown): void {
  if (!(error instanceof DuetError)) throw error;
}

async function waysHere(target: string | undefined): Promise<Ways> {
  const me = (await readIfThere(paths.machine))?.trim() ?? "";
  const site = await loadSite(paths.site);
  const ways = new Ways({ site, me, folder: siteFolder(paths.site), files: paths });
  const peer = ways.theirs.name;
  if (target === me)
    fail(
      "DUET-E-FENCE-TEST-ELSEWHERE",
      me,
      `${me} does not fence itself: whether it can be is proven by ${peer}, which would do it`,
      `run it on ${peer}, or where the site file is: \`duet fence-test ${me} site.yaml\``,
      exit.notHere,
    );
  if (target !== undefined && target !== peer)
    fail("DUET-E-USAGE", target, "is no machine of this site", `name ${peer}`, exit.badInput);
  return ways;
}

export const noConsent = (name: string): never =>
  fail(
    "DUET-E-FENCE-TEST-CONSENT",
    name,
    "to switch it off for a test needs consent, and there was none: nothing was done",
    "answer the question at a terminal, or say `--yes`",
    exit.badInput,
  );
