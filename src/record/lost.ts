import { eventsOf, type Known, unknown } from "./known.ts";
import type { Scene } from "./scene.ts";

/** A look can't tell when it was, only how long ago at most. */
export function detectedOf(scene: Scene): Known {
  if (scene.episode.detected_ms === undefined) return unknown("no loss was seen");
  const found: Known = { ...unknown(), at_ms: 0, machine: scene.survivor };
  const at0 = eventsOf(scene, "membership", "peer lost").filter(({ at_ms }) => Math.abs(at_ms) < 1);
  if (at0.some(({ detail }) => typeof detail["ago_ms"] === "number")) return found;
  const [within] = at0.flatMap(({ detail: { within_ms } }) =>
    typeof within_ms === "number" ? [within_ms] : [],
  );
  return within === undefined
    ? { ...found, note: "seen then; since when is not known" }
    : { ...found, note: `seen then; it was up to ${(within / 1000).toFixed(1)} s before` };
}

const tokenOf = (scene: Scene) =>
  eventsOf(scene, "token lost").findLast(({ at_ms }) => at_ms <= 0 && at_ms > -consensus_ms_max);

/** By Corosync's journal: when the last token came. Undefined where it does not tell. */
function lastToken(scene: Scene): Known | undefined {
  const token = tokenOf(scene);
  if (token === undefined) return undefined;
  // It was not run for a while: its peer was silent for longer than it waited, or not silent at all.
  const formed = eventsOf(scene, "membership").find(({ at_ms }) => Math.abs(at_ms) < 1);
  const counted = eventsOf(scene, "peer lost").some(
    ({ at_ms, detail }) =>
      at_ms < -stood_still_ms && formed !== undefined && detail["ring"] === formed.detail["ring"],
  );
  if (counted) return unknown(`${scene.survivor} itself stood still: nobody here saw when`);
  const waited_ms = token.detail["waited_ms"];
  if (typeof waited_ms !== "number") return undefined;
  return { ...unknown("Corosync's last token"), at_ms: token.at_ms - waited_ms, machine: scene.survivor };
}

/** Between the lost token and the membership without the peer. */
const consensus_ms_max = 15_000;
const stood_still_ms = 1_000;

/**
 * Nobody sees a machine die: an outsider's word, Corosync's last token or its time-outs, or the last that it wrote. `off_ms`: when it
 * was proven off, or else detected.
 */
export function lostOf(scene: Scene, off_ms: number): Known {
  const { episode, placed, survivor, gone } = scene;
  if (episode.detected_ms === undefined) return unknown("no loss was seen");
  const outside = placed.findLast(
    ({ entry, at_ms }) =>
      entry.kind === "event" && entry.event === "lost" && entry.detail["machine"] === gone && at_ms <= 0,
  );
  if (outside !== undefined)
    return { ...unknown("told from outside"), at_ms: outside.at_ms, machine: outside.entry.machine };
  const token = lastToken(scene);
  if (token !== undefined) return token;
  const formed = eventsOf(scene, "membership").some(({ at_ms }) => Math.abs(at_ms) < 1);
  const missed = tokenOf(scene) !== undefined;
  if (formed && !missed) return unknown("no token was missed: its Corosync said goodbye");
  const silent = placed.find(
    ({ entry }) =>
      entry.machine === survivor &&
      entry.kind === "event" &&
      entry.event === "peer lost" &&
      typeof entry.detail["silent_ms"] === "number",
  );
  const silent_ms = silent?.entry.kind === "event" ? silent.entry.detail["silent_ms"] : undefined;
  if (typeof silent_ms === "number")
    return { ...unknown("by Corosync's time-outs"), at_ms: -silent_ms, machine: survivor };
  const sign = placed.findLast(({ entry, at_ms }) => entry.machine === gone && at_ms <= off_ms);
  if (sign === undefined) return unknown("before it was detected: nobody saw when");
  // No bar for a bound: it would look like a measurement.
  return sign.at_ms > 0
    ? unknown(`before it was detected: ${gone} went on, and was cut off`)
    : unknown(`after ${(sign.at_ms / 1000).toFixed(3)} s: the last that ${gone} wrote`);
}
