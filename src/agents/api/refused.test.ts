import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAddress } from "./refused.ts";

/** What of it is free, and when: address-agent.test.ts. */
async function rounds(looks: readonly { readonly refused: boolean; readonly free: boolean }[]) {
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
      tryAgain: () => Promise.resolve(done.push("tried again")),
      rest: () => {
        round++;
        return Promise.resolve();
      },
      tell: () => undefined,
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
  assert.deepEqual(await rounds(later), ["asked", "asked", "forgotten", "tried again"]);
});
