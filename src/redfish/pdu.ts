import * as v from "valibot";
import { changeResource, type Done, getResource } from "./client.ts";
import { failed, type Result, success, unsent } from "./failure.ts";
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

  /** Where the command to switch it goes: it answers, lets this login in, and can be switched. Changes nothing. */
  async target(): Promise<Result<string>> {
    const found = await this.#outlet();
    if (!found.ok) return unsent(found);
    const target = found.value.body.Actions?.["#Outlet.PowerControl"]?.target;
    return target === undefined
      ? failed({ kind: "unsupported", what: "its outlet can't be switched" })
      : success(target);
  }

  async power(state: "On" | "Off"): Promise<Result<Done>> {
    const target = await this.target();
    return target.ok ? await this.send(state, target.value) : target;
  }

  /** To a target that was found before: for who must know first that nothing else stands in the way. */
  async send(state: "On" | "Off", target: string): Promise<Result<Done>> {
    return await changeResource(this.#service, "POST", target, { PowerState: state });
  }

  #outlet() {
    return getResource(this.#service, this.#service.outlet, outletShape);
  }
}
