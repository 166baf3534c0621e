import assert from "node:assert/strict";
import { test } from "node:test";
import { toSay } from "./say.ts";

const bools = [true, false] as const;

test("that it answers is always told, that it does not only where there is somebody to hand the address to", () => {
  for (const ready of bools)
    for (const said of [undefined, "0", "100", "7"])
      for (const peerHere of [true, false, undefined]) {
        const wanted = ready ? "100" : "0";
        const expected = said === wanted ? undefined : ready || peerHere === true ? wanted : undefined;
        assert.equal(toSay({ ready, said, peerHere }), expected, JSON.stringify({ ready, said, peerHere }));
      }
});

test("who has just begun to look says nothing: the address must not move because this program was started again", () => {
  for (const said of [undefined, "0", "100"])
    for (const peerHere of [true, false, undefined])
      assert.equal(toSay({ ready: undefined, said, peerHere }), undefined);
});

test("what Pacemaker has already is not said again", () => {
  for (const peerHere of [true, false, undefined]) {
    assert.equal(toSay({ ready: true, said: "100", peerHere }), undefined);
    assert.equal(toSay({ ready: false, said: "0", peerHere }), undefined);
  }
});

test("alone nothing is said of an API server that stands still: Pacemaker is in the middle of a fence", () => {
  assert.equal(toSay({ ready: false, said: "100", peerHere: false }), undefined);
  assert.equal(toSay({ ready: false, said: "100", peerHere: undefined }), undefined);
});
