import type { Headers } from "../auth/login.ts";

export interface HttpRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}
