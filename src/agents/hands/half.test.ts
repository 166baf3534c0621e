import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { done, failed, type Outcome, type StartKind } from "../../act/effects.ts";
import { FakeWorld } from "../../act/testing.ts";
import { fixtures } from "../../facts/testing-fixtures.ts";
import { writeFiles } from "../../facts/testing-folder.ts";
import { moveAside } from "./aside.ts";
import { isHalf, markingHalf } from "./half.ts";

const top = await mkdtemp(join(tmpdir(), "duet-half-"));
after(() => rm(top, { recursive: true }));

let count = 0;
class Machine {
  readonly data = join(top, String(++count), "etcd");
  readonly kept = join(top, String(count), "kept");
  outcome: Outcome = done;
  promotions = 0;
  readonly hands;

  constructor() {
    const { unit, members } = new FakeWorld().effects;
    this.hands = markingHalf(
      this.data,
      { ...unit, start: async () => this.outcome },
      {
        ...members,
        promote: async () => {
          assert.equal(await isHalf(this.data), false, "asked to be a voter with the mark still there");
          this.promotions += 1;
          return done;
        },
      },
    );
  }

  /** A start that gets as far as writing something. */
  async start(how: StartKind, text: string): Promise<void> {
    await mkdir(join(this.data, "member", "snap"), { recursive: true });
    await writeFile(join(this.data, "member", "snap", "db"), text);
    await this.hands.unit.start(how, 1_000);
  }

  async aside(): Promise<readonly string[]> {
    assert.deepEqual(await moveAside(this.data, this.kept), done);
    return (await readdir(this.kept)).toSorted();
  }
}

test("of what joins leave behind that fail the last stays; a voter's data is never among it", async () => {
  const machine = new Machine();
  await machine.start("with its data", "a voter's");
  assert.deepEqual(await machine.aside(), ["aside-0001"]);
  machine.outcome = failed("failed", "no space left on device");
  for (let tries = 1; tries <= 4; tries++) {
    await machine.start("join", `join ${tries}`);
    assert.deepEqual(await machine.aside(), ["aside-0001", `half-000${tries}`]);
  }
  assert.equal(await readFile(join(machine.kept, "half-0004", "member", "snap", "db"), "utf8"), "join 4");
});

test("from the moment that the promotion is asked for it is kept like any other", async () => {
  const machine = new Machine();
  await machine.start("join", "caught up");
  assert.equal(await isHalf(machine.data), true);
  await machine.hands.members.promote(1_000);
  assert.equal(machine.promotions, 1);
  assert.deepEqual(await machine.aside(), ["aside-0001"]);
});

test("one that is a voter by its log is kept, whoever made it one", async () => {
  const alone = fixtures().find(({ name }) => name.startsWith("alone"));
  assert.ok(alone !== undefined);
  const machine = new Machine();
  await writeFiles(machine.data, alone.files);
  await machine.hands.unit.start("join", 1_000);
  assert.ok((await readdir(join(machine.data, "member"))).includes("duet-half-made"));
  assert.deepEqual(await machine.aside(), ["aside-0001"]);
});

test("a join that wrote nothing leaves nothing", async () => {
  const machine = new Machine();
  await machine.hands.unit.start("join", 1_000);
  assert.equal(await isHalf(machine.data), false);
});
