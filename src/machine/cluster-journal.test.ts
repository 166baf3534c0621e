import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClusterWord, goodbyeIn, parseWords } from "./cluster-journal.ts";

const at_us = 23_935_180_505;
const entry = (program: string, message: string, more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({
    __CURSOR: "s=1",
    __MONOTONIC_TIMESTAMP: String(at_us),
    __REALTIME_TIMESTAMP: "1794764426101000",
    SYSLOG_IDENTIFIER: program,
    MESSAGE: message,
    ...more,
  });
const untimed = ({ at_ms, ...word }: ClusterWord) => {
  assert.equal(at_ms, at_us / 1000);
  return word;
};
const words = (...lines: readonly string[]) => parseWords(lines.join("\n"), "etcd");

test("a loss, as Corosync 3.1 and Pacemaker 3.0 tell it", () => {
  const found = words(
    entry("corosync", "  [TOTEM ] Token has not been received in 1133 ms "),
    entry(
      "corosync",
      "  [TOTEM ] A processor failed, forming new configuration: token timed out (1500ms), waiting 500ms for consensus.",
    ),
    entry("corosync", "  [QUORUM] Sync members[1]: 1"),
    entry("corosync", "  [QUORUM] Sync left[1]: 2"),
    entry("corosync", "  [TOTEM ] A new membership (1.d) was formed. Members left: 2"),
    entry("pacemaker-controld", " notice: Node node2 state is now lost"),
    entry("pacemaker-fenced", " notice: Node node2 state is now lost"),
    entry("pacemaker-controld", " notice: Requesting fencing (off) targeting node node2"),
    entry("pacemaker-fenced", " notice: Operation 'off' [1897] targeting node2 using fence-node2 returned 0"),
    entry(
      "pacemaker-fenced",
      " notice: Operation 'off' targeting node2 by node1 for pacemaker-controld.1245@node1: OK (Done)",
    ),
    entry(
      "pacemaker-controld",
      " notice: Initiating notify operation etcd_pre_notify_demote_0 locally on node1",
    ),
    entry("pacemaker-controld", " notice: Initiating notify operation etcd:1_post_notify_start_0 on node2"),
    entry("pacemaker-controld", " notice: Initiating start operation etcd:1_start_0 on node2"),
  );
  assert.deepEqual(found.map(untimed), [
    { kind: "token lost", waited_ms: 1_500 },
    { kind: "membership", ring: "1.d", members: [1] },
    { kind: "pacemaker", what: "peer lost", of: "node2" },
    { kind: "pacemaker", what: "off asked", of: "node2" },
    { kind: "pacemaker", what: "off done", of: "node2" },
    { kind: "pacemaker", what: "pre-demote", of: "node1" },
    { kind: "pacemaker", what: "post-start", of: "node2" },
    { kind: "pacemaker", what: "start", of: "node2" },
  ]);
});

test("a join, and a fence that failed", () => {
  assert.deepEqual(
    words(
      entry("corosync", "  [QUORUM] Sync members[2]: 1 2"),
      entry("corosync", "  [TOTEM ] A new membership (1.12) was formed. Members joined: 2"),
      entry(
        "pacemaker-fenced",
        " error: Operation 'off' targeting node2 by node1 for pacemaker-controld.1@node1: Error occurred (Agent failed)",
      ),
    ).map(untimed),
    [
      { kind: "membership", ring: "1.12", members: [1, 2] },
      { kind: "pacemaker", what: "off failed", of: "node2" },
    ],
  );
});

test("older versions of Corosync do not tell how long they waited", () => {
  assert.deepEqual(
    words(entry("corosync", "  [TOTEM ] A processor failed, forming new configuration.")).map(untimed),
    [{ kind: "token lost", waited_ms: undefined }],
  );
});

test("other resources, monitors, other programs and torn lines tell nothing", () => {
  assert.deepEqual(
    words(
      entry("pacemaker-controld", " notice: Initiating start operation fence-node1_start_0 on node2"),
      entry("pacemaker-controld", " notice: Initiating monitor operation etcd_monitor_10000 on node2"),
      entry("pacemaker-controld", " notice: Initiating monitor operation etcd:1_monitor_0 on node2"),
      "{ torn",
      '{"MESSAGE":[1,2],"SYSLOG_IDENTIFIER":"corosync"}',
    ),
    [],
  );
});

test("the time is when it was written, not when the journal took it; a clock that was set in between is not used", () => {
  const lost = (source: string | undefined) =>
    words(
      entry(
        "pacemaker-controld",
        " notice: Node node2 state is now lost",
        source === undefined ? {} : { _SOURCE_REALTIME_TIMESTAMP: source },
      ),
    )[0]?.at_ms;
  assert.equal(lost(undefined), at_us / 1000);
  assert.equal(lost("1794764426092000"), at_us / 1000 - 9);
  assert.equal(lost("1794764526092000"), at_us / 1000);
  assert.equal(lost("1794760000000000"), at_us / 1000);
});

test("a machine that was stopped in order said goodbye; one that fell silent did not", () => {
  const left = "  [TOTEM ] A new membership (1.d) was formed. Members left: 2";
  const joined = "  [TOTEM ] A new membership (1.9) was formed. Members joined: 2";
  const silent =
    "  [TOTEM ] A processor failed, forming new configuration: token timed out (1500ms), waiting 500ms.";
  const missed = "  [TOTEM ] Failed to receive the leave message. failed: 2";
  const told = (...lines: readonly string[]) => goodbyeIn(`${lines.join("\n")}\n`);
  assert.equal(told(joined, "  [QUORUM] Sync left[1]: 2", left), true);
  assert.equal(told(joined, silent, left, missed), false);
  assert.equal(told(joined, left, missed), false);
  // What was before the last membership that is over is another story.
  assert.equal(told(silent, left, missed, joined, left), true);
  assert.equal(told(left, joined), false);
  assert.equal(told(), false);
});
