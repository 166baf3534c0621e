import type { Effects } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { lastingAttributes, readFenceTimes, writeFenceTimes } from "../../machine/fence-times.ts";
import { fenceDevices } from "../../machine/pacemaker.ts";
import { openBmc } from "../../redfish/open.ts";
import type { FenceTimes } from "../../render/fence-times.ts";
import type { Site } from "../../site/site.ts";
import { checkBmc } from "../check/bmc.ts";
import type { Finding } from "../check/finding.ts";
import { checkPdus, type TurnLength } from "../check/pdu.ts";
import { measureCalls } from "../fence/measure.ts";
import { measuredTimes } from "../hands/measured.ts";
import { pairTurn_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";
import { wholeness } from "../setup/ready.ts";
import type { WayProof } from "./kept.ts";

export interface Proving {
  readonly ways: Ways;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  /** May the tag be written, with the value that is there? At 1+1 alone. */
  readonly mayWrite: () => Promise<boolean>;
  /** What this machine's own fencer knows; undefined: it is not up. */
  readonly devices: () => Promise<readonly string[] | undefined>;
  readonly turn: TurnLength;
}

export interface Harmless {
  readonly findings: readonly Finding[];
  readonly ways: readonly WayProof[];
  /** How long calls to its BMC took; only where they are all answered. */
  readonly calls?: Omit<FenceTimes, "off">;
}

/**
 * Could this machine switch its peer off? Without harm: each way to the peer's power by itself (connection, certificate, login, power
 * state, tag, times), and that Pacemaker here knows a device for it. That the machine then goes off only a real Off shows.
 */
export async function proveHarmless({ ways, folder, mayWrite, devices, turn }: Proving): Promise<Harmless> {
  const { site, theirs } = ways;
  const context = { site, folder };
  const tag = (await mayWrite()) ? "write" : "read";
  const [bmc, clock, outlets, device] = await Promise.all([
    checkBmc(theirs, context, tag),
    checkClock(ways, folder),
    theirs.pdus.length === 0 ? [] : checkPdus(theirs, context, turn),
    checkDevice(theirs.name, devices),
  ]);
  const measured = await timesOf(ways, bmc);
  const ofBmc = [...bmc, ...clock, ...measured.findings];
  return {
    findings: [...ofBmc, ...outlets, device],
    ways: [
      wayOf("BMC", ofBmc),
      ...(theirs.pdus.length === 0 ? [] : [wayOf("outlet", outlets)]),
      wayOf("Pacemaker", [device]),
    ],
    ...(measured.calls === undefined ? {} : { calls: measured.calls }),
  };
}

function wayOf(way: WayProof["way"], findings: readonly Finding[]): WayProof {
  const wrong = findings.find(({ mark }) => mark === "fail");
  if (wrong === undefined) return { way, ok: true, why: "", fix: "", code: null };
  const { check, detail, fix = "", code = null } = wrong;
  return { way, ok: false, why: `${check}: ${detail}`.slice(0, 2_000), fix: fix.slice(0, 2_000), code };
}

/** Several times over: one call that was quick is none that is always so. */
async function timesOf(
  ways: Ways,
  bmc: readonly Finding[],
): Promise<{ readonly findings: readonly Finding[]; readonly calls?: Omit<FenceTimes, "off"> }> {
  if (bmc.some(({ mark }) => mark === "fail")) return { findings: [] };
  const subject = ways.theirs.name;
  try {
    const calls = await measureCalls(ways, new Date());
    const detail = `${calls.calls} calls, ${calls.call_ms_median} ms, at most ${calls.call_ms_worst} ms`;
    return { findings: [{ subject, check: "BMC time", mark: "ok", detail }], calls };
  } catch (error) {
    const problem = error instanceof DuetError ? error.problems[0] : undefined;
    if (problem === undefined) throw error;
    const { what, fix, code } = problem;
    return { findings: [{ subject, check: "BMC time", mark: "fail", detail: what, fix, code }] };
  }
}

const clock_ms_max = 5 * 60_000;

/** A BMC's own clock hurts nobody; its log can't be compared with the machines' where it is wrong. Not all tell it. */
async function checkClock(ways: Ways, folder: string): Promise<readonly Finding[]> {
  const { name: subject, bmc } = ways.theirs;
  const client = await openBmc(bmc, folder, ways.call_ms).catch(() => undefined);
  const read = await client?.manager();
  const date = read?.ok === true ? read.value.date : undefined;
  const off_ms = date === undefined ? Number.NaN : Date.parse(date) - Date.now();
  if (Number.isNaN(off_ms)) return [];
  const detail = `${Math.round(off_ms / 1000)} s against this machine`;
  if (Math.abs(off_ms) <= clock_ms_max) return [{ subject, check: "BMC clock", mark: "ok", detail }];
  const fix = "set it, or give it a time server: its log is read after a failure";
  return [{ subject, check: "BMC clock", mark: "warn", detail, fix }];
}

async function checkDevice(target: string, devices: Proving["devices"]): Promise<Finding> {
  const base = { subject: target, check: "fence device" } as const;
  const known = await devices();
  if (known !== undefined && known.length > 0)
    return { ...base, mark: "ok", detail: `Pacemaker here would use ${known.join(", ")}` };
  return known === undefined
    ? {
        ...base,
        mark: "fail",
        code: "DUET-E-PACEMAKER-SILENT",
        detail: "Pacemaker does not run here, and it is who calls for a fence",
        fix: "see `systemctl status pacemaker`",
      }
    : {
        ...base,
        mark: "fail",
        code: "DUET-E-STATUS-FENCE-UNPROVEN",
        detail: "Pacemaker here knows no device to fence it",
        fix: "see `crm_mon -1` and `stonith_admin --list-registered`; `duet setup` loads the configuration anew",
      };
}

/** This machine's own fencer. */
export const devicesOf =
  (target: string, isUp: () => Promise<boolean>): Proving["devices"] =>
  async () =>
    (await isUp()) ? await fenceDevices(target) : undefined;

/** As a fence by this machine would count it now. */
export const turnHere =
  (site: Site): TurnLength =>
  async () =>
    pairTurn_ms(site, (await measuredTimes(site, lastingAttributes())) ?? new Map());

export async function isWhole(effects: Pick<Effects, "disk" | "attributes">): Promise<boolean> {
  const { mine, theirs } = await wholeness(effects);
  return mine && theirs;
}

/** For the race and for `duet check`, on both machines. What a real Off took stays known. */
export async function noteCalls({ site, theirs }: Ways, calls: Omit<FenceTimes, "off">): Promise<void> {
  const off = (await readFenceTimes(site))?.get(theirs.name)?.off;
  await writeFenceTimes(theirs.name, { ...calls, ...(off === undefined ? {} : { off }) });
}
