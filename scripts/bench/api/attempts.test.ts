import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Progress } from "../../../src/machine/progress.ts";
import { Attempts } from "./attempts.ts";

const silent = () => new Progress(new Writable({ write: (_, __, done) => done() }));

/** Labs that count; `breaks`: what is wrong with the one of this number. */
function labs(breaks: (made: number) => "place" | "close" | undefined = () => undefined) {
  let made = 0;
  let up = false;
  return {
    place: async () => {
      if (!up) made += 1;
      if (breaks(made) === "place") throw new Error("no machine");
      up = true;
      return made;
    },
    close: async () => {
      up = false;
      if (breaks(made) === "close") throw new Error("a mount is busy");
    },
  };
}

const which = async (place: number) => place;
const breaks = async () => {
  throw new Error("no write");
};

test("a run that fails is told, and the next gets new machines", async () => {
  const attempts = new Attempts(labs(), silent());
  assert.deepEqual(await attempts.run("a", which), { ok: true, value: 1 });
  assert.deepEqual(await attempts.run("b", breaks), { ok: false, why: "no write" });
  assert.deepEqual(await attempts.run("c", which), { ok: true, value: 2 });
});

test("a lab that can't be taken away, or can't be made anew, ends nothing", async () => {
  const attempts = new Attempts(
    labs((made) => (made === 1 ? "close" : made === 2 ? "place" : undefined)),
    silent(),
  );
  await attempts.run("a", which);
  assert.deepEqual(await attempts.run("b", breaks), { ok: false, why: "no write" });
  assert.deepEqual(await attempts.run("c", which), { ok: false, why: "no machine" });
  assert.deepEqual(await attempts.run("d", which), { ok: true, value: 3 });
});

test("where there never was a lab there is nothing to measure", async () => {
  const attempts = new Attempts(
    labs(() => "place"),
    silent(),
  );
  await assert.rejects(attempts.run("a", which), /no machine/);
});
