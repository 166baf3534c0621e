import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Progress } from "../../src/machine/progress.ts";
import { behindLines } from "./behind.ts";

async function shown(name: string, wrap: (out: Writable) => Writable): Promise<string> {
  let text = "";
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  await new Progress(wrap(out)).step(name, () => Promise.resolve());
  return text;
}

test("what is done behind something else says so, its time in the same column as all times", async () => {
  const text = await shown("CRI-O", behindLines);
  assert.match(text, /^ {2}✓ behind this: CRI-O +0\.0 s\n$/);
  assert.equal(text.length, (await shown("CRI-O", (out) => out)).length);
});

test("on a terminal it wipes the line that a clock runs in, and a long name is not cut", async () => {
  const name = "Kubernetes 1.36.3 from its Go modules (once, about 7 min)";
  const text = await shown(name, (out) => behindLines(Object.assign(out, { isTTY: true })));
  assert.ok(text.startsWith("\r\u001b[K  ✓ behind this: Kubernetes 1.36.3"), text);
  assert.match(text, /about 7 min\) +0\.0 s\n$/);
});

test("what it is at is marked, too", async () => {
  let text = "";
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  behindLines(out).write("  … CRI-O 1.36.1 from its Go modules (once, about 2 min)\n");
  assert.equal(text, "  … behind this: CRI-O 1.36.1 from its Go modules (once, about 2 min)\n");
});
