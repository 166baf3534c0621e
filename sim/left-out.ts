/** Rules that no storm can meet, for what the simulator leaves out (docs/simulator.md): it has one version of etcd. */
export const isLeftOut = (rule: string): boolean => /^R-(OLD|NEW)-ETCD(-|$)/.test(rule);
