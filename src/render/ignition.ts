/** The part of Ignition's specification 3.3 that duet writes. Ignition itself, and `ignition-validate`, judge it. */
export interface Ignition {
  readonly ignition: { readonly version: "3.3.0" };
  readonly storage: { readonly files: readonly IgnitionFile[] };
  readonly systemd: { readonly units: readonly IgnitionUnit[] };
}

export interface IgnitionFile {
  readonly path: string;
  readonly mode: number;
  readonly overwrite: true;
  readonly contents: { readonly source: string };
}

export interface IgnitionUnit {
  readonly name: string;
  readonly enabled?: boolean;
  readonly mask?: boolean;
  readonly contents?: string;
  readonly dropins?: readonly { readonly name: string; readonly contents: string }[];
}

/** A file of a machine. `mode` is always said: Ignition's default is readable by all. */
export interface MachineFile {
  readonly path: string;
  readonly mode: number;
  readonly content: string | Uint8Array;
  /** Why `duet uninstall` leaves it where it is; every other file goes. */
  readonly stays?: string;
}

export function ignition(files: readonly MachineFile[], units: readonly IgnitionUnit[]): Ignition {
  return {
    ignition: { version: "3.3.0" },
    storage: {
      files: files.map((f) => ({
        path: f.path,
        mode: f.mode,
        overwrite: true,
        contents: { source: `data:;base64,${Buffer.from(f.content).toString("base64")}` },
      })),
    },
    systemd: { units },
  };
}
