import type { ClientGap, Moments } from "../failover/parts.ts";

/** Where the gap went that a client of the API saw. Together the first five are the whole; the address is brought up beside them. */
export interface ApiParts {
  readonly whole_ms: number;
  /** Until the membership without the peer was formed. */
  readonly detect_ms: number | undefined;
  /** Until the survivor commanded Off, with all that comes before the command. */
  readonly turn_ms: number | undefined;
  /** Until Off was read and noted. */
  readonly off_ms: number | undefined;
  /** Until the survivor's etcd served alone. */
  readonly etcd_ms: number | undefined;
  /** Until a write through the address was acknowledged: what the API server adds, and the client's own way back. */
  readonly api_ms: number | undefined;
  /** From Off to the address on the survivor; undefined: it was there before. */
  readonly address_ms: number | undefined;
}

export interface ApiMoments extends Moments {
  readonly served_ms: number | undefined;
  readonly address_ms: number | undefined;
}

export function apiParts({ begin_ms, end_ms }: ClientGap, moments: ApiMoments): ApiParts {
  const { detected_ms, commanded_ms, confirmed_ms, served_ms, address_ms } = moments;
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : to - from;
  return {
    whole_ms: end_ms - begin_ms,
    detect_ms: between(begin_ms, detected_ms),
    turn_ms: between(detected_ms, commanded_ms),
    off_ms: between(commanded_ms, confirmed_ms),
    etcd_ms: between(confirmed_ms, served_ms),
    api_ms: between(served_ms, end_ms),
    address_ms: between(confirmed_ms, address_ms),
  };
}
