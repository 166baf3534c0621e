import * as v from "valibot";
import { changeResource, type Done, getResource, isGone, late } from "./client.ts";
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

export interface Switching {
  /** By what it is switched, as found before: saves the call that looks for it. What is not there any more is looked for anew. */
  readonly known?: string | undefined;
  /** Asked right before the command goes out; one that would go out too late is not sent, and `late` is the answer. */
  readonly inTime?: () => boolean;
}

/** One outlet of a power distribution unit: the second way to fence, which also covers a lost power feed. */
export class OutletClient {
  readonly #service: OutletService;
  #found: string | undefined;

  constructor(service: OutletService) {
    this.#service = service;
  }

  /** By what it is switched, where this client was told. */
  get found(): string | undefined {
    return this.#found;
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
    return this.#found === undefined
      ? failed({ kind: "unsupported", what: "its outlet can't be switched" })
      : success(this.#found);
  }

  async power(state: "On" | "Off", { known, inTime = () => true }: Switching = {}): Promise<Result<Done>> {
    const send = async (target: string): Promise<Result<Done>> =>
      inTime()
        ? await changeResource(this.#service, "POST", target, { PowerState: state }, { inTime })
        : late;
    if (known !== undefined) {
      const taken = await send(known);
      if (!isGone(taken)) return taken;
    }
    const target = await this.target();
    return target.ok ? await send(target.value) : target;
  }

  async #outlet() {
    const found = await getResource(this.#service, this.#service.outlet, outletShape);
    this.#found = found.ok ? found.value.body.Actions?.["#Outlet.PowerControl"]?.target : undefined;
    return found;
  }
}
