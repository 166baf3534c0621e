/** One of a resource agent's actions, as its metadata tells it. */
export interface OcfAction {
  readonly name: string;
  readonly timeout_s: number;
  readonly interval_s?: number | undefined;
  readonly role?: string | undefined;
}

/** What every agent of duet's has beside its own. */
const common: readonly OcfAction[] = [
  { name: "validate-all", timeout_s: 20 },
  { name: "meta-data", timeout_s: 5 },
];

/** The lines between `<actions>` and its end. */
export const actionLines = (own: readonly OcfAction[]): string => [...own, ...common].map(line).join("\n");

function line({ name, timeout_s, interval_s, role }: OcfAction): string {
  const interval = interval_s === undefined ? "" : ` interval="${interval_s}s"`;
  const inRole = role === undefined ? "" : ` role="${role}"`;
  return `    <action name="${name}" timeout="${timeout_s}s"${interval}${inRole}/>`;
}
