import assert from "node:assert/strict";
import { test } from "node:test";
import { fail } from "../../base/problem.ts";
import type { Note } from "../hands/notes.ts";
import { type EtcdSeat, etcdAction } from "./agent.ts";
import { ocf, type Status } from "./ocf.ts";

class Seat implements EtcdSeat {
  readonly there = new Set<Note>();
  readonly said: string[] = [];
  cared = true;
  peer = true;
  writable = true;
  lack: { readonly status: Status; readonly why: string } | undefined;
  readonly notes = {
    forget: () => {},
    has: (note: Note) => this.there.has(note),
    set: (note: Note) => void this.there.add(note),
    drop: (...notes: readonly Note[]) => notes.forEach((note) => this.there.delete(note)),
  };
  readonly lacks = async () => this.lack;
  readonly isCaredFor = async () => this.cared;
  readonly hasPeer = async () => this.peer;
  readonly takesWrites = async () => this.writable;
  readonly stop = async () => ocf.success;
  readonly checkSite = async () => {};
  readonly complain = (line: string) => void this.said.push(line);

  get noted(): string {
    return [...this.there].toSorted().join(" ");
  }
}

const interval_ms = 10_000;

test("a start is soft: it notes, wakes and returns", async () => {
  const seat = new Seat();
  assert.equal(await etcdAction("monitor", seat), ocf.notRunning);
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.notRunning);
  assert.equal(seat.noted, "", "what is not started wakes nobody");
  // As a stop that was killed would leave them.
  seat.there.add("leaving").add("promoted");
  for (const _ of [1, 2]) assert.equal(await etcdAction("start", seat), ocf.success);
  assert.equal(seat.noted, "started wake");
  assert.equal(await etcdAction("monitor", seat), ocf.success);
});

test("the role is what Pacemaker asked for", async () => {
  const seat = new Seat();
  assert.equal(await etcdAction("promote", seat), ocf.notRunning);
  assert.equal(await etcdAction("demote", seat), ocf.notRunning);
  await etcdAction("start", seat);
  for (const _ of [1, 2]) assert.equal(await etcdAction("promote", seat), ocf.success);
  assert.equal(await etcdAction("monitor", seat), ocf.promoted, "a probe");
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.promoted);
  for (const _ of [1, 2]) assert.equal(await etcdAction("demote", seat), ocf.success);
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success);
});

test("a monitor wakes, and shows a promoted etcd that nobody cares for as degraded", async () => {
  const seat = new Seat();
  await etcdAction("start", seat);
  seat.there.delete("wake");
  seat.cared = false;
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success, "a learner, or one that waits");
  assert.equal(seat.noted, "publish started wake");
  await etcdAction("promote", seat);
  seat.there.delete("wake");
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.promotedDegraded);
  assert.equal(seat.noted, "promoted publish started wake");
});

test("an etcd that can't be ended is an error for Pacemaker: its stop fails, and a fence follows", async () => {
  const seat = new Seat();
  await etcdAction("start", seat);
  seat.there.add("held");
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.failed);
  assert.match(seat.said.join(""), /its process stays/);
  seat.peer = false;
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success, "nobody could fence it");
  seat.peer = true;
  seat.there.delete("held");
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success);
});

test("a disk that took no word of the data's end is an error while it takes none, and no longer", async () => {
  const seat = new Seat();
  await etcdAction("start", seat);
  seat.writable = false;
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success, "nobody had to write");
  seat.there.add("unwritten");
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.failed);
  assert.match(seat.said.join(""), /takes no word of that/);
  seat.peer = false;
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success, "nobody could fence it");
  seat.peer = true;
  seat.writable = true;
  assert.equal(await etcdAction("monitor", seat, interval_ms), ocf.success);
  assert.equal(seat.there.has("unwritten"), false);
});

test("a stop that was killed keeps nobody from work, and is a failed one: the next monitor knows that it is over", async () => {
  for (const interval of [0, interval_ms]) {
    const seat = new Seat();
    await etcdAction("start", seat);
    await etcdAction("monitor", seat, interval);
    assert.equal(seat.there.has("stop-failed"), false, "no stop, no failure");
    seat.there.add("leaving");
    await etcdAction("monitor", seat, interval);
    assert.equal(seat.there.has("leaving"), false, `${interval} ms`);
    assert.ok(seat.there.has("stop-failed"), `${interval} ms`);
  }
});

test("a notification is news and no more", async () => {
  const seat = new Seat();
  assert.equal(await etcdAction("notify", seat), ocf.success);
  assert.equal(seat.noted, "wake");
});

test("what lacks is told with its own status; an action that is none too", async () => {
  const seat = new Seat();
  assert.equal(await etcdAction("validate-all", seat), ocf.success);
  seat.lack = { status: ocf.notInstalled, why: "no etcd" };
  for (const action of ["start", "validate-all"])
    assert.equal(await etcdAction(action, seat), ocf.notInstalled, action);
  assert.equal(seat.noted, "", "nothing was started");
  const broken: EtcdSeat = {
    notes: seat.notes,
    isCaredFor: seat.isCaredFor,
    hasPeer: seat.hasPeer,
    takesWrites: seat.takesWrites,
    complain: seat.complain,
    lacks: async () => undefined,
    checkSite: () => fail("DUET-E-SITE-FILE", "site.yaml", "it can't be read", "write one"),
    stop: () => fail("DUET-E-PROCESS-DEADLINE", "systemctl", "it did not end", "see why"),
  };
  assert.equal(await etcdAction("validate-all", broken), ocf.notConfigured);
  assert.equal(await etcdAction("stop", broken), ocf.failed);
  assert.match(seat.said.join(""), /DUET-E-SITE-FILE: site.yaml: .*\n.*DUET-E-PROCESS-DEADLINE/);
  assert.equal(await etcdAction("reload", seat), ocf.unimplemented);
  assert.match(seat.said.join(""), /no etcd\n.*no action reload: one of start, /s);
});
