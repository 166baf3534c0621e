/** As in the scenarios, and in the sentences of the rules. */
export const nameOf = (machine: number): string => (machine === 0 ? "node1" : "node2");
