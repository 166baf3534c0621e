import { weightPolicy } from "./policy.ts";

/**
 * For a unit's [Service]. Directly below the root of the control groups, where pods are: a weight only counts among neighbours, and all of
 * `system.slice` together has one of 100, against pods that have more with each core (docs/decisions/weight.md). A slice of its own would be
 * ended at a shutdown, and with it what is in it, before its time; the root never ends.
 */
export const ahead = (of: keyof typeof weightPolicy): string => {
  const { value } = weightPolicy[of];
  return `# Beside all pods together, and not one of the many in system.slice.
Slice=-.slice
CPUWeight=${value}
IOWeight=${value}
`;
};
