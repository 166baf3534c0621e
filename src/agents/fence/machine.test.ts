import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { readInput } from "./machine.ts";
import { parseInput } from "./options.ts";

test("options come in pieces, and are bounded in time and size", async () => {
  const pieces = Readable.from([Buffer.from("action=o"), Buffer.from("ff\nplug=node2\n")]);
  assert.equal(await readInput(pieces), "action=off\nplug=node2\n");
  const open = new PassThrough();
  open.write("action=status\n");
  assert.equal(await readInput(open, 50), "action=status\n");
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1 << 15, "x");
    })(),
  );
  assert.ok((await readInput(endless)).length <= 1 << 16);
});

test("values are taken literally, and the last of several counts", () => {
  const text =
    "#action=on\naction=on\naction=off\ncredentials_file=/etc/duet/a b=c$`'\"\r\n=x\nplug=\nnodename=node2\n";
  assert.deepEqual(parseInput(text), {
    ok: true,
    options: {
      action: "off",
      target: "node2",
      credentialsFile: "/etc/duet/a b=c$`'\"",
      siteFile: undefined,
    },
  });
});
