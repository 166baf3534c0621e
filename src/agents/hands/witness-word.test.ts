import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakePacemaker } from "./testing.ts";
import { twoMachines } from "./testing-site.ts";
import { witnessOf } from "./witness.ts";
import { areTagsWritten, readSaid } from "./witness-said.ts";
import { shareWitness } from "./witness-word.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-witness-word-"));
after(() => rm(folder, { recursive: true }));
const urls = { node1: "https://192.0.2.1", node2: "https://192.0.2.2" };
const test_at = { result: "kept", said: "", at: "2026-11-16T00:00:00.000Z" } as const;
const kept = { node1: { bmc: urls.node1, ...test_at }, node2: { bmc: urls.node2, ...test_at } };

type Name = keyof typeof urls;
const peerOf = (me: Name): Name => (me === "node1" ? "node2" : "node1");

class Two {
  readonly cluster = new FakePacemaker();
  says = { node1: "on", node2: "on" } as Record<Name, "on" | "off">;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  path = (me: Name, file: string): string => join(folder, this.#name, me, file);
  site = (me: Name) => ({ ...twoMachines(urls), witness: this.says[me] });
  look = (me: Name): Promise<void> =>
    shareWitness({
      site: this.site(me),
      me,
      peerName: peerOf(me),
      files: {
        witness: this.path(me, "witness"),
        witnessSeen: this.path(me, "witness-seen"),
        witnessSaid: this.path(me, "witness-said"),
        assetTags: this.path(me, "asset-tags"),
      },
      isPaired: true,
      pacemaker: this.cluster.of(me),
    });
  meet = async (): Promise<void> => {
    for (const me of ["node1", "node2", "node1", "node2", "node1"] as const) await this.look(me);
  };
  is = async (me: Name) =>
    [
      witnessOf(this.site(me), kept, await readSaid(this.path(me, "witness-said"))),
      (await areTagsWritten(this.site(me), this.path(me, "witness-said"))) ? "tags" : "no tags",
    ].join(", ");
}

test("`witness: off` on one machine leaves no tag out, and takes nothing from the other; on both it does", async () => {
  const two = new Two("off");
  await two.meet();
  two.says.node1 = "off";
  assert.deepEqual([await two.is("node1"), await two.is("node2")], ["unproven, tags", "on, tags"]);
  await two.meet();
  assert.deepEqual([await two.is("node1"), await two.is("node2")], ["unproven, tags", "on, tags"]);
  two.says.node2 = "off";
  await two.look("node2");
  assert.deepEqual([await two.is("node1"), await two.is("node2")], ["unproven, tags", "off, no tags"]);
  await two.look("node1");
  assert.equal(await two.is("node1"), "off, no tags");
});

test("`witness: on` again lets nobody start alone before the other has noted it", async () => {
  const two = new Two("on");
  two.says = { node1: "off", node2: "off" };
  await two.meet();
  two.says.node2 = "on";
  two.cluster.values.clear();
  assert.equal(await two.is("node2"), "unproven, tags");
  await two.look("node2");
  assert.equal(await two.is("node2"), "unproven, tags");
  await two.look("node1");
  assert.equal(await two.is("node1"), "unproven, tags");
  await two.look("node2");
  assert.equal(await two.is("node2"), "on, tags");
});

test("what is told is on the disk before; an older duet that tells nothing counts as one that says the same", async () => {
  const two = new Two("order");
  two.says = { node1: "off", node2: "off" };
  const { setAttribute, ...rest } = two.cluster.of("node1");
  const told: string[] = [];
  const pacemaker = {
    ...rest,
    setAttribute: async (name: string, text: string, deadline_ms: number) => {
      const { mine } = await readSaid(two.path("node1", "witness-said"));
      told.push(`${mine.witness} ${mine.number}`);
      await setAttribute(name, text, deadline_ms);
    },
  };
  two.cluster.values.set("node2 duet-witness", JSON.stringify({ lost: {}, texts: {} }));
  const files = { witness: "", witnessSeen: two.path("node1", "s"), assetTags: two.path("node1", "a") };
  await shareWitness({
    site: two.site("node1"),
    me: "node1",
    peerName: "node2",
    files: { ...files, witness: two.path("node1", "w"), witnessSaid: two.path("node1", "witness-said") },
    isPaired: true,
    pacemaker,
  });
  assert.deepEqual(told, ["off 1"]);
  assert.equal(await two.is("node1"), "off, no tags");
});

test("of a file that can't be understood nothing is assumed", async () => {
  const two = new Two("torn");
  await two.meet();
  await writeFile(two.path("node1", "witness-said"), "{");
  assert.equal(await two.is("node1"), "unproven, tags");
  two.says.node1 = "off";
  assert.equal(await two.is("node1"), "unproven, tags");
});
