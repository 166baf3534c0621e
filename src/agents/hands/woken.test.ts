import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Notes } from "./notes.ts";
import { servesWhileHere, unlessWoken } from "./woken.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-woken-"));
after(() => rm(folder, { recursive: true }));
let count = 0;
const notes = () => new Notes(join(folder, String(++count)));
const never = new Promise<never>(() => {});
const long_ms = 600_000;

test("what is asked for is waited for while nobody wants this machine to look", async () => {
  assert.equal(await unlessWoken(notes(), Promise.resolve(7), long_ms), 7);
  await assert.rejects(unlessWoken(notes(), Promise.reject(new Error("no")), long_ms), /no/);
  // Longer than the wait for a wake: it has a deadline of its own.
  const late = new Promise<number>((resolve) => setTimeout(resolve, 50, 7));
  assert.equal(await unlessWoken(notes(), late, 1), 7);
});

test("it is left at once when somebody does", async () => {
  const woken = notes();
  const left = unlessWoken(woken, never, long_ms);
  woken.set("wake");
  assert.equal(await left, undefined);
  assert.equal(await unlessWoken(woken, never, long_ms), undefined, "there already");
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
  const serves = servesWhileHere(woken, never, isHere, long_ms);
  assert.equal(asked, 0, "nobody was woken");
  woken.set("wake");
  assert.equal(await serves, false);
  assert.equal(asked, 3);
});

test("a peer that is here and answers serves, woken or not", async () => {
  const woken = notes();
  const here = () => Promise.resolve(true);
  assert.equal(await servesWhileHere(woken, Promise.resolve(true), here, long_ms), true);
  woken.set("wake");
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 300, true));
  assert.equal(await servesWhileHere(woken, late, here, long_ms), true);
  await assert.rejects(servesWhileHere(woken, Promise.reject(new Error("no")), here, long_ms), /no/);
});
