/**
 * How often people are told the same: the first few at once, later ones no oftener than one in ten minutes. Of those in between
 * only the last is kept; it is told when its time has come, with how many were left out before it. So a wire that flaps all night
 * does not send a thousand mails, and what people know in the end is what was last so.
 */
export interface Bucket {
  /** Messages that may go at once; never above `burst`. */
  readonly tokens: number;
  readonly filled_ms: number;
  /** Left out since the last one that went. */
  readonly left_out: number;
}

export const burst = 3;
export const refill_ms = 600_000;

export const fullBucket = (now_ms: number): Bucket => ({ tokens: burst, filled_ms: now_ms, left_out: 0 });

/** With what time has added. A clock that was set back adds nothing, and takes nothing. */
export function refilled(bucket: Bucket, now_ms: number): Bucket {
  const passed_ms = now_ms - bucket.filled_ms;
  if (passed_ms < 0) return { ...bucket, filled_ms: now_ms };
  const added = Math.floor(passed_ms / refill_ms);
  if (added === 0) return bucket;
  const tokens = Math.min(burst, bucket.tokens + added);
  return { ...bucket, tokens, filled_ms: tokens === burst ? now_ms : bucket.filled_ms + added * refill_ms };
}

export interface Admission {
  readonly bucket: Bucket;
  /** May it go now? Then so many were left out before it. */
  readonly now: boolean;
  readonly left_out: number;
}

/** `replaces`: one is waiting already, and this takes its place. */
export function admit(given: Bucket | undefined, now_ms: number, replaces: boolean): Admission {
  const bucket = refilled(given ?? fullBucket(now_ms), now_ms);
  const left_out = bucket.left_out + (replaces ? 1 : 0);
  return bucket.tokens > 0
    ? { bucket: { ...bucket, tokens: bucket.tokens - 1, left_out: 0 }, now: true, left_out }
    : { bucket: { ...bucket, left_out }, now: false, left_out };
}

/** When the next one may go. */
export const nextToken_ms = ({ tokens, filled_ms }: Bucket, now_ms: number): number =>
  tokens > 0 ? now_ms : filled_ms + refill_ms;
