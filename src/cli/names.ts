import { basename } from "node:path";

/**
 * The names under which the executable is a command by itself: systemd and Pacemaker start agents by path and can't
 * always pass arguments. Any other name is `duet`.
 */
export const names: Readonly<Record<string, readonly string[]>> = {
  "duet-setup": ["setup"],
};

/** The arguments as `duet` would have got them. `argv0` is the name that the program was called by. */
export function argumentsFor(argv0: string, args: readonly string[]): readonly string[] {
  const name = basename(argv0);
  return Object.hasOwn(names, name) ? [...(names[name] ?? []), ...args] : args;
}
