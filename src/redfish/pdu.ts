import * as v from "valibot";
import { changeResource, type Done, getResource, late } from "./client.ts";
import { failed, type Result, success } from "./failure.ts";
import type { Service } from "./transport.ts";

export interface OutletService extends Service {
  /** Path of the Outlet. */
  readonly outlet: string;
}

const outletShape = v.object({
  PowerState: v.nullish(v.string()),
  Actions: v.optional(
    v.object({
      "#Outlet.PowerControl": v.optional(v.object({ target: v.pipe(v.string(), v.startsWith("/")) })),
    }),
  ),
});

/** One outlet of a power distribution unit: the second way to fence, which also covers a lost power feed. */
export class OutletClient {
  readonly #service: OutletService;

  constructor(service: OutletService) {
    this.#service = service;
  }

  async powerState(): Promise<Result<string>> {
    const found = await this.#outlet();
    if (!found.ok) return found;
    const state = found.value.body.PowerState;
    return typeof state === "string"
      ? success(state)
      : failed({ kind: "unsupported", what: "it tells no PowerState" });
  }

  /** `inTime`: as for a BMC. */
  async power(state: "On" | "Off", inTime: () => boolean = () => true): Promise<Result<Done>> {
    const found = await this.#outlet();
    if (!found.ok) return found;
    const target = found.value.body.Actions?.["#Outlet.PowerControl"]?.target;
    if (target === undefined) return failed({ kind: "unsupported", what: "its outlet can't be switched" });
    if (!inTime()) return late;
    return changeResource(this.#service, "POST", target, { PowerState: state });
  }

  #outlet() {
    return getResource(this.#service, this.#service.outlet, outletShape);
  }
}
