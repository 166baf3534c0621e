/**
 * Rules that no storm can meet, for what the simulator leaves out (docs/simulator.md): it has one version of etcd, and a Pacemaker that
 * answers at once.
 */
export const isLeftOut = (rule: string): boolean =>
  rule === "R-LEAVE-UNKNOWN" || /^R-(OLD|NEW)-ETCD(-|$)/.test(rule);
