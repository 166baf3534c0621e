import { Disk, type DiskTimes, diskTimes } from "./disk.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { Life } from "./kernel/life.ts";
import { cancel, type Event } from "./kernel/queue.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";

export interface MachineTimes {
  /** From power to a system that starts its units. */
  readonly boot_us: number;
  readonly boot_us_spread: number;
  /** An orderly shutdown that is in the way of nothing. */
  readonly shutdown_us: number;
}
export const machineTimes: MachineTimes = {
  boot_us: 8_000_000,
  boot_us_spread: 4_000_000,
  shutdown_us: 1_500_000,
};

/** What lives on a machine and has to know of its life. */
export interface Tenant {
  /** The system is up: units start. */
  booted?(machine: Machine): void;
  /** Somebody asks for an orderly shutdown; `done` when this tenant is ready for it. */
  shutdown?(machine: Machine, done: () => void): void;
  /** Power is gone or the machine halted: everything in memory with it. */
  dead?(machine: Machine): void;
  hung?(machine: Machine): void;
  resumed?(machine: Machine): void;
}

const bootTime = label("machine.boot-time");
const line = traceKind("machine", (machine, what) => `machine ${machine} ${what}`);

/** Metal with a disk. Its life begins with power and ends with it; a hung machine lives and does nothing. */
export class Machine {
  readonly id: number;
  readonly disk: Disk;
  readonly tenants: Tenant[] = [];
  life = new Life();
  /** How often it was switched on. */
  boot = 0;
  /** No button and no BMC can switch it on, until it is repaired. */
  broken = false;
  #powered = false;
  #up = false;
  #hung = false;
  #booting: Event | undefined;
  readonly #kernel: Kernel;
  readonly #times: MachineTimes;

  constructor(kernel: Kernel, id: number, times: MachineTimes = machineTimes, disk: DiskTimes = diskTimes) {
    this.#kernel = kernel;
    this.id = id;
    this.#times = times;
    this.disk = new Disk(kernel, id, disk);
  }

  get powered(): boolean {
    return this.#powered;
  }

  /** The system runs, be it hung. */
  get up(): boolean {
    return this.#up;
  }

  get hung(): boolean {
    return this.#hung;
  }

  powerOn(): void {
    if (this.#powered || this.broken) return;
    this.#powered = true;
    this.#hung = false;
    this.boot += 1;
    this.life = new Life();
    this.#kernel.note(line, this.id, "has power");
    const { boot_us, boot_us_spread } = this.#times;
    const { life } = this;
    this.#booting = this.#kernel.after(
      boot_us + this.#kernel.choices.jitter(bootTime, boot_us_spread),
      () => {
        if (!life.alive) return;
        this.#up = true;
        this.#kernel.note(line, this.id, "is up");
        for (const tenant of this.tenants) tenant.booted?.(this);
      },
    );
  }

  /** At once, with all that was not synced. */
  powerCut(): void {
    if (this.#powered) this.#end("lost its power", true);
  }

  /** Asks every tenant, then halts: disks are synced by then. */
  shutdown(done?: () => void): void {
    if (!this.#up || this.#hung) return;
    this.#kernel.note(line, this.id, "shuts down");
    const { life } = this;
    const next = (at: number) => {
      if (!life.alive) return;
      const tenant = this.tenants[at];
      if (tenant !== undefined) {
        if (tenant.shutdown === undefined) next(at + 1);
        else tenant.shutdown(this, () => next(at + 1));
        return;
      }
      this.#kernel.after(this.#times.shutdown_us, () => {
        if (!life.alive) return;
        this.#end("is down", false);
        done?.();
      });
    };
    next(0);
  }

  hang(): void {
    if (!this.#up || this.#hung) return;
    this.#hung = true;
    this.#kernel.note(line, this.id, "hangs");
    this.life.freeze();
    for (const tenant of this.tenants) tenant.hung?.(this);
  }

  resume(): void {
    if (!this.#hung) return;
    this.#hung = false;
    this.#kernel.note(line, this.id, "goes on");
    for (const tenant of this.tenants) tenant.resumed?.(this);
    this.life.thaw();
  }

  #end(how: string, cut: boolean): void {
    this.#powered = false;
    this.#up = false;
    this.#hung = false;
    cancel(this.#booting);
    this.#kernel.note(line, this.id, how);
    this.life.end();
    for (const tenant of this.tenants) tenant.dead?.(this);
    if (cut || this.disk.readOnly) this.disk.powerCut();
    else this.disk.syncAll();
    this.disk.readOnly = false;
  }
}
