/**
 * A turn of the race to fence (src/decide/race.ts) begins with a window in which its machine may command Off, and the rest of it
 * has room for one whole fence: whoever comes next finds itself off before its own window opens.
 */

/** The way from the loss to the command, on a busy machine. Longer than that only keeps the other waiting where fences are slow. */
const window_ms_max = 10_000;

/** How long a turn must be where a fence takes so long at its slowest. */
export const turnFor_ms = (fence_ms: number): number => fence_ms + Math.min(fence_ms, window_ms_max);

export const windowOf_ms = (turn_ms: number): number => Math.min(turn_ms / 2, window_ms_max);

/** A command that is begun at the window's very end goes out so late behind it, as a part of the window (src/agents/hands/bmc.ts). */
const late_share = 1 / 4;

/** How long a fence must count as, so that behind a command that late there is still `fence_ms` in its turn: with f = F + min(f, 10 s) / 4. */
export const withLateCommand_ms = (fence_ms: number): number =>
  Math.ceil(Math.min(fence_ms / (1 - late_share), fence_ms + window_ms_max * late_share));
