import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError, exit } from "../../base/problem.ts";
import type { Status } from "../status/status.ts";
import type { Deed } from "./deed.ts";
import { inTurn } from "./in-turn.ts";
import type { Errand } from "./pass.ts";
import { away, inMaintenance, whole } from "./testing.ts";

/** One pass for everybody, as etcd gives it; `look` is how the site is once it is held. */
class Desk {
  readonly acts: string[] = [];
  holder: string | undefined;
  /** How long it is held: by a command, or until a machine has left. */
  lasts: "command" | "leave" = "command";

  async run(
    name: string,
    deed: Deed,
    look: () => Status,
    act: () => Promise<void> = async () => {},
    asksOn = false,
  ) {
    return await inTurn(deed, {
      asksOn,
      pass: async ({ words }: Errand) => {
        if (this.holder !== undefined) throw new DuetError([], exit.notHere);
        this.holder = words;
        this.lasts = "command";
        return {
          hold: async () => {
            this.lasts = "leave";
          },
          renew: async () => {},
          giveBack: async () => {
            this.holder = undefined;
          },
        };
      },
      look: async () => look(),
      act: async () => {
        this.acts.push(name);
        await act();
      },
    });
  }
}

const deed = (word: "reboot" | "standby" | "unstandby", machine: string, force = false): Deed => ({
  do: word,
  machine,
  force,
});

test("two seats that both saw 1+1: one machine goes, and the pass is kept until it has left", async () => {
  const desk = new Desk();
  const ends = await Promise.allSettled([
    desk.run("first", deed("reboot", "node1"), whole),
    desk.run("second", deed("standby", "node2"), whole),
  ]);
  assert.deepEqual([ends.map(({ status }) => status), desk.acts], [["fulfilled", "rejected"], ["first"]]);
  assert.equal(desk.holder, "reboot node1");
});

test("until the machine is asked the pass is the command's, and so it stays where only the command makes it so", async () => {
  const desk = new Desk();
  const lasts: string[] = [];
  const note = async () => {
    lasts.push(desk.lasts);
  };
  const seen = () => {
    lasts.push(desk.lasts);
    return whole();
  };
  assert.equal(await desk.run("here", deed("reboot", "node1"), seen, note), undefined);
  desk.holder = undefined;
  const wish = await desk.run("there", deed("reboot", "node2"), seen, note, true);
  await desk.run("again", { do: "maintenance", on: false }, whole);
  assert.deepEqual(lasts, ["command", "leave", "command", "command"]);
  await wish?.giveBack();
  await desk.run("on", { do: "maintenance", on: true }, whole, note);
  assert.deepEqual(lasts.slice(4), ["command"]);
});

test("what was seen before the pass does not count: it is looked at again, and the pass given back", async () => {
  const desk = new Desk();
  for (const look of [away, inMaintenance])
    await assert.rejects(
      desk.run("late", deed("reboot", "node1"), look),
      (error) => error instanceof DuetError && error.status === exit.notHere,
    );
  assert.deepEqual([desk.acts, desk.holder], [[], undefined]);
  await desk.run("forced", deed("reboot", "node1", true), away);
  assert.deepEqual(desk.acts, ["forced"]);
});

test("no answer is no end: the machine may go all the same, and the pass is kept", async () => {
  const desk = new Desk();
  await assert.rejects(
    desk.run("reboot", deed("reboot", "node1"), whole, () => Promise.reject(new Error("no answer"))),
  );
  assert.equal(desk.holder, "reboot node1");
});

test("maintenance waits for its turn and gives it back; what takes nothing away needs none", async () => {
  const desk = new Desk();
  await desk.run("on", { do: "maintenance", on: true }, whole);
  assert.equal(desk.holder, undefined);
  await desk.run("reboot", deed("reboot", "node1"), whole);
  await assert.rejects(desk.run("on", { do: "maintenance", on: true }, whole));
  await desk.run("off", { do: "maintenance", on: false }, whole);
  await desk.run("unstandby", deed("unstandby", "node1"), whole);
  assert.deepEqual(desk.acts, ["on", "reboot", "off", "unstandby"]);
});
