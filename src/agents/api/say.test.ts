import assert from "node:assert/strict";
import { test } from "node:test";
import { toSay } from "./say.ts";

const standings = { ready: "100", probation: "60", doubtful: "20", lost: "0" } as const;

test("that it answers is always told, all else only where there is somebody to hand the address to", () => {
  for (const standing of ["ready", "probation", "doubtful", "lost"] as const)
    for (const said of [undefined, "0", "20", "60", "100", "7"])
      for (const peerHere of [true, false, undefined]) {
        const wanted = standings[standing];
        const tells = said !== wanted && (standing === "ready" || peerHere === true);
        const given = { standing, said, peerHere };
        assert.equal(toSay(given), tells ? wanted : undefined, JSON.stringify(given));
      }
});

test("who has just begun to look says nothing: the address must not move because this program was started again", () => {
  for (const said of [undefined, "0", "100"])
    for (const peerHere of [true, false, undefined])
      assert.equal(toSay({ standing: undefined, said, peerHere }), undefined);
});

test("what Pacemaker has already is not said again", () => {
  for (const peerHere of [true, false, undefined]) {
    assert.equal(toSay({ standing: "ready", said: "100", peerHere }), undefined);
    assert.equal(toSay({ standing: "lost", said: "0", peerHere }), undefined);
  }
});

test("alone nothing is said of an API server that stands still: Pacemaker is in the middle of a fence", () => {
  assert.equal(toSay({ standing: "lost", said: "100", peerHere: false }), undefined);
  assert.equal(toSay({ standing: "doubtful", said: "100", peerHere: undefined }), undefined);
});
