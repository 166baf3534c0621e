import assert from "node:assert/strict";
import { test } from "node:test";
import { bring } from "./bring-address.ts";

const times = { bring_ms: 500, move_ms: 20, stay_ms: 0, every_ms: 1 };

/** A Pacemaker that has the address elsewhere, and moves it where it prefers to. */
class Pacemaker {
  readonly asked: string[] = [];
  there = false;
  /** So often it does not take what it is told. */
  deaf = 0;
  /** So often the address goes back when the preference is gone. */
  drawnBack = 0;

  readonly isThere = async (): Promise<boolean> => this.there;
  readonly prefer = async (): Promise<boolean> => {
    this.asked.push("prefer");
    this.deaf -= 1;
    if (this.deaf < 0) this.there = true;
    return this.deaf < 0;
  };
  readonly forget = async (): Promise<boolean> => {
    this.asked.push("forget");
    this.drawnBack -= 1;
    if (this.drawnBack >= 0) this.there = false;
    return true;
  };
}

test("an address that is elsewhere is led over, and no preference is left", async () => {
  const pacemaker = new Pacemaker();
  await bring(pacemaker, "node2", times);
  assert.deepEqual(pacemaker.asked, ["prefer", "forget"]);
});

test("one that is there stays; what an earlier try may have left is forgotten", async () => {
  const pacemaker = new Pacemaker();
  pacemaker.there = true;
  await bring(pacemaker, "node2", times);
  assert.deepEqual(pacemaker.asked, ["forget"]);
});

test("it is tried again where Pacemaker did not take it, and where the address went back", async () => {
  const pacemaker = new Pacemaker();
  pacemaker.deaf = 1;
  pacemaker.drawnBack = 2;
  await bring(pacemaker, "node2", times);
  assert.deepEqual(pacemaker.asked, ["prefer", "forget", "prefer", "forget", "prefer", "forget"]);
  assert.equal(pacemaker.there, true);
});

test("one that never comes is told", async () => {
  const pacemaker = new Pacemaker();
  pacemaker.deaf = Number.POSITIVE_INFINITY;
  await assert.rejects(bring(pacemaker, "node2", { ...times, bring_ms: 20 }), /address stays on node2/);
});
