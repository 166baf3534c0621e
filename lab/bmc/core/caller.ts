import type { Privilege } from "../auth/role.ts";

/** Who sent the request. */
export interface Caller {
  readonly account: string;
  readonly privileges: ReadonlySet<Privilege>;
}
