import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAddress } from "./refused.ts";

/** What of it is free, and when: address-agent.test.ts. */
async function rounds(
  looks: readonly { readonly refused: boolean; readonly free: boolean; readonly taken?: boolean }[],
) {
  const done: string[] = [];
  let round = 0;
  const now = () => looks[round];
  await retryAddress(
    {
      isRefused: () => now()?.refused === true,
      isFree: () => {
        done.push("asked");
        return Promise.resolve(now()?.free === true);
      },
      forget: () => done.push("forgotten"),
      keep: () => done.push("kept"),
      tryAgain: () => {
        done.push("tried again");
        return Promise.resolve(now()?.taken !== false);
      },
      rest: () => {
        round++;
        return Promise.resolve();
      },
      tell: () => done.push("told"),
    },
    () => round < looks.length,
  );
  return done;
}

test("an address that was refused is tried again when it is free, and not before", async () => {
  assert.deepEqual(await rounds([{ refused: false, free: true }]), [], "nobody is asked for nothing");
  assert.deepEqual(await rounds([{ refused: true, free: false }]), ["asked"]);
  const later = [
    { refused: true, free: false },
    { refused: true, free: true },
    { refused: false, free: true },
  ];
  assert.deepEqual(await rounds(later), ["asked", "asked", "told", "forgotten", "tried again"]);
});

test("where Pacemaker did not take it the address counts as refused still, and is tried until it does; it is told once", async () => {
  const looks = [
    { refused: true, free: true, taken: false },
    { refused: true, free: true, taken: false },
    { refused: true, free: false },
    { refused: true, free: true },
    { refused: true, free: true },
  ];
  const tried = ["forgotten", "tried again"];
  const each = [
    ["asked", "told", ...tried, "kept"],
    ["asked", ...tried, "kept"],
    ["asked"],
    ["asked", ...tried],
    ["asked", "told", ...tried],
  ];
  assert.deepEqual(await rounds(looks), each.flat());
});
