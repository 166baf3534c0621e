import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { empty, type Facts } from "../../decide/facts.ts";
import { Notes } from "./notes.ts";
import { isStalled, watchReads } from "./stall.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-stall-"));
after(() => rm(folder, { recursive: true }));

const led = { running: true, leader: true, failedStarts: 0 };
const here: Facts["peer"] = {
  seen: "now",
  facts: empty,
  serving: false,
  running: true,
  leaving: false,
  stuck: false,
};
const away: Facts["peer"] = { seen: "before", facts: empty };

let count = 0;
class Machine {
  now_ms = 1_000;
  readonly notes = new Notes(join(folder, String(++count)), () => this.now_ms);

  async look(
    answers: boolean,
    seen: Pick<Facts, "etcd" | "peer"> = { etcd: led, peer: here },
  ): Promise<boolean> {
    await watchReads(seen, this.notes, async () => answers);
    this.now_ms += 10_000;
    return isStalled(this.notes);
  }
}

test("an etcd that names a leader and answers no read for half a minute stands still; one read is enough to be well", async () => {
  const machine = new Machine();
  const looks = [true, false, false, true, false, false, false, true];
  const stalls: boolean[] = [];
  for (const answers of looks) stalls.push(await machine.look(answers));
  assert.deepEqual(stalls, [false, false, false, false, false, false, true, false]);
});

test("without a leader, or without its peer, it is not judged by reads", async () => {
  for (const seen of [
    { etcd: { ...led, leader: false }, peer: here },
    { etcd: led, peer: away },
  ]) {
    const machine = new Machine();
    for (const _ of [1, 2, 3]) await machine.look(false);
    assert.ok(isStalled(machine.notes));
    assert.equal(await machine.look(false, { etcd: { ...led, running: false }, peer: here }), true);
    assert.equal(await machine.look(false, seen), false);
  }
});
