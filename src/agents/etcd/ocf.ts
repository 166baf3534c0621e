/** Statuses of a resource agent's actions, as the OCF standard and Pacemaker have them. */
export const ocf = {
  success: 0,
  failed: 1,
  badArguments: 2,
  unimplemented: 3,
  notInstalled: 5,
  notConfigured: 6,
  notRunning: 7,
  promoted: 8,
  /** Promoted, and not well: Pacemaker shows it and leaves it alone. */
  promotedDegraded: 191,
} as const;

export type Status = (typeof ocf)[keyof typeof ocf];
