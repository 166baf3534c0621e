/** What a leader knows of another member's log. */
export interface Progress {
  readonly id: number;
  match: number;
  next: number;
  /** probe: one append at a time until something matches; replicate: as they come; snapshot: none until it arrived. */
  state: "probe" | "replicate" | "snapshot";
  probe_sent: boolean;
  active: boolean;
  pending_snapshot: number;
}

export const progressOf = (id: number, last_index: number): Progress => ({
  id,
  match: 0,
  next: last_index + 1,
  state: "probe",
  probe_sent: false,
  active: false,
  pending_snapshot: 0,
});

export const isPaused = (progress: Progress): boolean =>
  progress.state === "snapshot" || (progress.state === "probe" && progress.probe_sent);

export function becomeProbe(progress: Progress): void {
  const pending = progress.state === "snapshot" ? progress.pending_snapshot : 0;
  progress.state = "probe";
  progress.probe_sent = false;
  progress.pending_snapshot = 0;
  progress.next = Math.max(progress.match, pending) + 1;
}

export function becomeReplicate(progress: Progress): void {
  progress.state = "replicate";
  progress.probe_sent = false;
  progress.pending_snapshot = 0;
  progress.next = progress.match + 1;
}

export function becomeSnapshot(progress: Progress, index: number): void {
  progress.state = "snapshot";
  progress.probe_sent = false;
  progress.pending_snapshot = index;
  progress.next = index + 1;
}

/** The member said that it has everything up to there; false if that is old news. */
export function advance(progress: Progress, index: number): boolean {
  progress.next = Math.max(progress.next, index + 1);
  if (index <= progress.match) return false;
  progress.match = index;
  progress.probe_sent = false;
  return true;
}

/** The member refused an append; false if that answer is older than what is known. */
export function retreat(progress: Progress, rejected: number, hint: number): boolean {
  if (progress.state === "replicate") {
    if (rejected <= progress.match) return false;
    progress.next = progress.match + 1;
    return true;
  }
  if (progress.next - 1 !== rejected) return false;
  progress.next = Math.max(Math.min(rejected, hint + 1), 1);
  progress.probe_sent = false;
  return true;
}
