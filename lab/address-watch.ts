import { join } from "node:path";
import { isIPv6 } from "node:net";
import { sleep } from "../src/machine/clock.ts";
import { addressOf } from "../src/render/api-address.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import { hasAddress, type Look } from "./address-looks.ts";
import { type Lab, machineOf } from "./folder.ts";
import { isHung, isOn } from "./metal/power.ts";
import { inNamespace } from "./namespace.ts";

/** Each machine twice as far apart. */
const every_ms = 50;

/** Follows where the API's address is, on both machines' interfaces, from `begin` on. */
export class AddressWatch {
  readonly looks: Look[] = [];
  /** Why it looks no more, where that was not its user's wish. */
  failed: string | undefined;
  #ended: AbortController | undefined;
  #loop: Promise<void> = Promise.resolve();

  begin(lab: Lab): void {
    if (this.#ended !== undefined) return;
    this.#ended = new AbortController();
    this.#loop = this.#follow(lab, this.#ended.signal).catch((error: unknown) => {
      this.failed = String(error);
    });
  }

  async close(): Promise<void> {
    this.#ended?.abort();
    await this.#loop;
  }

  /** One machine and the other in turn: their order is what tells a move from an address on both. */
  async #follow(lab: Lab, ended: AbortSignal): Promise<void> {
    while (!ended.aborted)
      for (const name of machine_names) {
        this.looks.push(await lookAt(lab, name));
        await sleep(every_ms);
      }
  }
}

/** From outside, as the kernel has it: so a machine that hangs is seen too, which nobody could ask. */
export async function lookAt(lab: Lab, name: MachineName): Promise<Look> {
  const machine = machineOf(lab, name);
  const address = addressOf(lab.site);
  const has = address !== undefined && (await showsAddress(machine.folder, address));
  const on = await isOn(lab, machine);
  const power = !on ? "off" : (await isHung(lab, machine)) ? "hung" : "on";
  // A machine whose power goes or comes in this moment has no network to look at.
  return { machine: name, at_ms: Date.now(), power, holds: on && has };
}

async function showsAddress(folder: string, address: string): Promise<boolean> {
  const show = ["ip", "-json", "address", "show", "to", `${address}/${isIPv6(address) ? 128 : 32}`] as const;
  const { status, stdout } = await inNamespace(join(folder, "net"), show, { accept: "any" });
  return status === 0 && hasAddress(stdout);
}

/** Who has it now: nobody, one of them, or both. */
export async function holders(lab: Lab): Promise<readonly MachineName[]> {
  const looks = await Promise.all(machine_names.map((name) => lookAt(lab, name)));
  return looks.flatMap(({ machine, holds }) => (holds ? [machine] : []));
}
