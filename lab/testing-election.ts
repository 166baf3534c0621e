import assert from "node:assert/strict";

/**
 * By etcd's own log: the last start that was forced to be alone led after an election that it was told to begin. One that its own clock
 * begins asks first whether it could win, as a pre-candidate.
 */
export function assertTold(log: string): void {
  const at = log.lastIndexOf('"force-new-cluster":true');
  assert.ok(at >= 0, "etcd was never forced to be alone");
  const [, told = ""] = /MsgTimeoutNow from ([^]*?)became leader/.exec(log.slice(at)) ?? [];
  assert.match(told, /starts an election[^]*became candidate/);
  assert.doesNotMatch(told, /became pre-candidate/);
}
