import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { between, judgeClock, leastDifference, offsetOf } from "./clock.ts";
import { judgeDisk } from "./disk.ts";
import { judgeEtcdutl } from "./etcdutl.ts";
import { judgeLinks, type Reach } from "./links.ts";
import { summary, writes_max } from "./probe.ts";
import { judgeSsh, sshCommand } from "./ssh.ts";

const silent: Reach = { address: "192.0.2.11", ping: "silent", ssh: "silent" };
const well: Reach = { address: "198.51.100.11", ping: { ms: 0.2 }, ssh: { ms: 0.3 } };
const marks = (reaches: readonly Reach[]) => judgeLinks("node1", reaches).map((finding) => finding.mark);

test("a machine that answers nowhere may not be there yet; one link of two is a broken wire", () => {
  assert.deepEqual(marks([well, well]), ["ok", "ok"]);
  assert.deepEqual(marks([silent, silent]), ["warn"]);
  assert.match(judgeLinks("node1", [silent])[0]?.fix ?? "", /normal before its first boot/);
  assert.deepEqual(marks([silent, well]), ["fail", "ok"]);
  assert.deepEqual(marks([{ ...well, ssh: "silent" }]), ["warn"]);
  assert.deepEqual(marks([{ ...well, ping: "silent" }]), ["warn"]);
});

test("a machine without an etcdutl that can raise revisions is told of it, and one that is no machine of a site is not", () => {
  assert.deepEqual(
    [undefined, true, false].map((can) => judgeEtcdutl("node1", can).map(({ mark }) => mark)),
    [[], ["ok"], ["warn"]],
  );
});

test("without a ping program the ssh port alone tells", () => {
  assert.deepEqual(marks([{ ...well, ping: "no program" }]), ["ok"]);
  assert.deepEqual(marks([{ ...silent, ping: "no program" }]), ["warn"]);
});

test("the true clock difference always lies within what a call can tell", () => {
  const ms = fc.integer({ min: 0, max: 5_000 });
  fc.assert(
    fc.property(fc.integer({ min: -100_000, max: 100_000 }), ms, ms, ms, (difference, out, work, back) => {
      const ours = { start_ms: 0, end_ms: out + work + back };
      const theirs = { start_ms: out + difference, end_ms: out + work + difference };
      const offset = offsetOf(ours, theirs);
      assert.ok(offset.low_ms <= difference && difference <= offset.high_ms);
      assert.ok(leastDifference(offset) <= Math.abs(difference));
      assert.equal(offset.high_ms - offset.low_ms, out + back);
    }),
  );
});

const clockMark = (low_ms: number, high_ms: number) =>
  judgeClock("node1", "clock", "here", { low_ms, high_ms }).mark;

test("a clock is judged by the least difference that must be there", () => {
  assert.equal(clockMark(-4000, 4000), "ok");
  assert.equal(clockMark(500, 900), "ok");
  assert.equal(clockMark(501, 900), "warn");
  assert.equal(clockMark(-9000, -5000), "warn");
  assert.equal(clockMark(-9000, -5001), "fail");
  assert.deepEqual(between({ low_ms: 10, high_ms: 20 }, { low_ms: 1, high_ms: 5 }), {
    low_ms: 5,
    high_ms: 19,
  });
});

const diskMark = (p99_ms: number) =>
  judgeDisk("node1", { folder: "/var/lib", writes: 64, p50_ms: 1, p99_ms, max_ms: p99_ms }).mark;

test("a disk is judged by its 99th percentile", () => {
  assert.deepEqual(
    [diskMark(10), diskMark(10.1), diskMark(100), diskMark(100.1)],
    ["ok", "warn", "warn", "fail"],
  );
});

test("percentiles are values that were measured", () => {
  assert.deepEqual(summary([]), { writes: 0, p50_ms: 0, p99_ms: 0, max_ms: 0 });
  assert.deepEqual(summary([3, 1, 2]), { writes: 3, p50_ms: 2, p99_ms: 3, max_ms: 3 });
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.deepEqual(summary(hundred), { writes: 100, p50_ms: 50, p99_ms: 99, max_ms: 100 });
});

test("four hiccups in as many writes as the probe makes leave the 99th percentile alone, five do not", () => {
  const p99 = (hiccups: number) =>
    summary(Array.from({ length: writes_max }, (_, index) => (index < hiccups ? 50 : 1))).p99_ms;
  assert.equal(p99(4), 1);
  assert.equal(p99(5), 50);
});

const judge = (status: number, said: string) => judgeSsh("node1", "192.0.2.11", status, said);

test("what ssh says is turned into what to do", () => {
  assert.equal(judge(127, "bash: line 1: duet: command not found").mark, "warn");
  assert.match(judge(127, "sh: 1: duet: not found").fix ?? "", /first boot/);
  assert.match(judge(255, "Host key verification failed.").fix ?? "", /ssh-keygen -R/);
  assert.match(judge(255, "root@192.0.2.11: Permission denied (publickey).").fix ?? "", /ssh_key/);
  assert.equal(
    judge(255, "ssh: connect to host: \x1b[31mtimed out").detail,
    "ssh failed: ssh: connect to host: [31mtimed out",
  );
  assert.equal(judge(2, "disk full").mark, "fail");
});

test("ssh never asks, never waits long, and takes the user's configuration unless told otherwise", () => {
  const command = sshCommand("2001:db8::11", undefined).join(" ");
  assert.equal(command, "ssh -o BatchMode=yes -o ConnectTimeout=5 -l root 2001:db8::11 duet probe --json");
  assert.match(sshCommand("192.0.2.11", "lab.conf").join(" "), /^ssh -F lab\.conf /);
});
