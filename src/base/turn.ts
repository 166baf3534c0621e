/**
 * A turn of the race to fence (src/decide/race.ts) begins with a window in which its machine may command Off, and the rest of it
 * has room for one whole fence: whoever comes next finds itself off before its own window opens.
 */

/** The way from the loss to the command, on a busy machine. Longer than that only keeps the other waiting where fences are slow. */
const window_ms_max = 10_000;

/** How long a turn must be where a fence takes so long at its slowest. */
export const turnFor_ms = (fence_ms: number): number => fence_ms + Math.min(fence_ms, window_ms_max);

export const windowOf_ms = (turn_ms: number): number => Math.min(turn_ms / 2, window_ms_max);
