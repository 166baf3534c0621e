import { exists } from "../src/machine/files.ts";
import type { Progress } from "../src/machine/progress.ts";
import { slowest } from "../src/scenario/header.ts";
import type { Header } from "../src/scenario/scenario.ts";
import type { MemberIds } from "../src/scenario/membership.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { newestOf } from "../src/scenario/takeover.ts";
import { takeDown } from "./down.ts";
import { hostBootId, type Lab, labFolder, openLab, readRecord } from "./folder.ts";
import { waitKubernetes } from "./kubernetes/ready.ts";
import { lockedLab } from "./lock.ts";
import { switchPower } from "./power-commands.ts";
import { endFaults, wholeAgain } from "./scenario-care.ts";
import { labUp } from "./up.ts";

/** What of a scenario's head shapes the lab. */
export type StageHeader = Pick<Header, "pdu" | "bmc" | "fencing"> &
  Partial<Pick<Header, "kubernetes" | "address" | "escalate">>;

/** Container images are not on the machine's disk, but what pods write is. */
const disk_mb = { plain: 1024, kubernetes: 4096 };

/** The lab that a scenario plays in: made when the first machine is started, or taken over from the scenario before. */
export class Stage {
  readonly name: string;
  readonly #header: StageHeader;
  readonly #progress: Progress;
  readonly #reuse: boolean;
  #lab: Lab | undefined;
  #made = false;
  #started = new Set<MachineName>();
  /** What the pair held when the scenario began; of a new site, when it was first whole. */
  lineage_before: ReturnType<typeof newestOf>;
  /** At the first 1+1 that the story waited for. */
  members_before: MemberIds | undefined;

  constructor(options: {
    readonly name: string;
    readonly header: StageHeader;
    readonly progress: Progress;
    readonly reuse?: boolean;
  }) {
    this.name = options.name;
    this.#header = options.header;
    this.#progress = options.progress;
    this.#reuse = options.reuse === true;
  }

  /** So many epochs were used before the scenario began: in its words the first is 1, and a lab may have seen others. */
  get epochs_before(): number {
    return Math.max(0, (this.lineage_before?.epoch ?? 1) - 1);
  }

  async lab(): Promise<Lab> {
    this.#lab ??= await openLab(this.name);
    return this.#lab;
  }

  /** Two machines of a site that is set up, both online. */
  async bothUp(): Promise<void> {
    const lab = await this.#ensure();
    await endFaults(lab);
    await wholeAgain(lab);
    if (this.#header.kubernetes === true) await waitKubernetes(lab);
    this.#started = new Set(machine_names);
  }

  /** This one booted; the other off, unless a step before started it. The site is set up: `met` is done while both are up. */
  async oneUp(machine: MachineName, met: () => Promise<void>): Promise<void> {
    if (this.#started.size === 0) {
      await this.bothUp();
      await met();
      this.#started.clear();
      // In good order and one after the other: an ordinary evening, no failure to remember.
      for (const each of machine_names.toReversed()) await switchPower(this.name, each, "off");
    }
    await switchPower(this.name, machine, "on");
    this.#started.add(machine);
  }

  async close(): Promise<void> {
    if (this.#made && !this.#reuse) await takeDown(this.name);
  }

  async #ensure(): Promise<Lab> {
    if (this.#lab !== undefined) return this.#lab;
    const folder = labFolder(this.name);
    if (this.#reuse && (await isWhole(folder))) return await this.lab();
    // Before it is made, so that half a lab is taken away too. One that was there before is not ours to remove.
    this.#made = !(await exists(folder));
    const { pdu, bmc, fencing, kubernetes = false, address = true, escalate = false } = this.#header;
    const shape = { pdu, fencing, kubernetes, address, escalate, ...slowest(bmc), bmcs: bmc };
    this.#lab = await lockedLab(this.name, () =>
      labUp(
        { name: this.name, ...shape, disk_mb: disk_mb[kubernetes ? "kubernetes" : "plain"], wait: true },
        this.#progress,
      ),
    );
    this.#made = true;
    return this.#lab;
  }
}

/** A lab that was made to its end, since the host booted. */
async function isWhole(folder: string): Promise<boolean> {
  const record = await readRecord(folder).catch(() => undefined);
  return record?.whole === true && record.boot_id === (await hostBootId());
}
