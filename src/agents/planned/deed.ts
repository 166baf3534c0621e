/** What a person may ask for by plan. */
export type Deed =
  | { readonly do: "reboot" | "standby" | "unstandby"; readonly machine: string; readonly force: boolean }
  | { readonly do: "maintenance"; readonly on: boolean };

/** As `duet` on a machine is asked to do it there at once, without a look and without waiting. */
export function wordsOf(deed: Deed): readonly string[] {
  if (deed.do === "maintenance") return ["maintenance", deed.on ? "on" : "off", "--here", "--json"];
  return [deed.do, deed.machine, "--here", "--json"];
}
