import { type LastingAttributes, writeLasting } from "../../machine/fence-times.ts";

/** A lasting attribute of a machine that was uninstalled: its peer is the last one then. */
const attribute = "duet-uninstalled";
const not = "no";

const isMark = (value: string | undefined): boolean => /^\d{4}-/.test(value ?? "");

export const uninstalledIn = (lasting: LastingAttributes | undefined): readonly string[] =>
  [...(lasting ?? [])].flatMap(([name, given]) => (isMark(given.get(attribute)) ? [name] : []));

export const writeMark = (machine: string, uninstalled: boolean): Promise<void> =>
  writeLasting(machine, attribute, uninstalled ? new Date().toISOString() : not);

/**
 * Of a machine that takes part: it was installed again, or its uninstall was cut off behind the mark, which can be written only
 * while Pacemaker still runs. True: there was one.
 */
export async function takeMarkBack(
  machine: string,
  lasting: LastingAttributes | undefined,
  write: (machine: string, uninstalled: boolean) => Promise<void> = writeMark,
): Promise<boolean> {
  if (!uninstalledIn(lasting).includes(machine)) return false;
  await write(machine, false);
  return true;
}
