import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Notes } from "./notes.ts";
import { whileHere } from "./woken.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-woken-"));
after(() => rm(folder, { recursive: true }));
let count = 0;
const notes = () => new Notes(join(folder, String(++count)));
const never = new Promise<never>(() => {});
const long_ms = 600_000;

test("what is asked for is waited for while nobody wants this machine to look, whoever is here", async () => {
  const asked = () => assert.fail("the membership was asked for");
  assert.equal(await whileHere(notes(), Promise.resolve(7), asked, long_ms), 7);
  await assert.rejects(whileHere(notes(), Promise.reject(new Error("no")), asked, long_ms), /no/);
  // Longer than the wait for a wake: it has a deadline of its own.
  const late = new Promise<number>((resolve) => setTimeout(resolve, 50, 7));
  assert.equal(await whileHere(notes(), late, asked, 1), 7);
});

test("a peer that hangs is waited for while it is a member, and no longer", async () => {
  const woken = notes();
  let here = true;
  let asked = 0;
  const isHere = async () => {
    asked++;
    // A wake for something else, at first.
    if (asked === 3) here = false;
    return here;
  };
  const answer = whileHere(woken, never, isHere, long_ms);
  assert.equal(asked, 0, "nobody was woken");
  woken.set("wake");
  assert.equal(await answer, undefined);
  assert.equal(asked, 3);
});

test("what a peer that is here answers counts, woken or not", async () => {
  const woken = notes();
  const here = () => Promise.resolve(true);
  woken.set("wake");
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 300, true));
  assert.equal(await whileHere(woken, late, here, long_ms), true);
  await assert.rejects(whileHere(woken, Promise.reject(new Error("no")), here, long_ms), /no/);
});
