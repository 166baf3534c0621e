import type { Errand } from "./pass.ts";

/** What a person may ask for by plan. */
export type Deed =
  | { readonly do: "reboot" | "standby" | "unstandby"; readonly machine: string; readonly force: boolean }
  | { readonly do: "maintenance"; readonly on: boolean };

/** As it is typed. */
export const textOf = (deed: Deed): string =>
  deed.do === "maintenance" ? `maintenance ${deed.on ? "on" : "off"}` : `${deed.do} ${deed.machine}`;

/** As `duet` on a machine is asked to do it there, without waiting for its end. */
export function wordsOf(deed: Deed): readonly string[] {
  const force = deed.do !== "maintenance" && deed.do !== "unstandby" && deed.force ? ["--force"] : [];
  return [...textOf(deed).split(" "), ...force, "--here", "--json"];
}

/** For which it needs the pass; undefined for what takes nothing away. */
export function errandOf(deed: Deed): Errand | undefined {
  if (deed.do === "unstandby" || (deed.do === "maintenance" && !deed.on)) return undefined;
  const words = textOf(deed);
  return deed.do === "maintenance"
    ? { words, machine: null, force: false }
    : { words, machine: deed.machine, force: deed.force };
}
