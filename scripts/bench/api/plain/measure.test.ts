import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Progress } from "../../../../src/machine/progress.ts";
import { formatTable } from "../../../bench-table.ts";
import { twoTable } from "../two.ts";
import { measurePlain } from "./measure.ts";

const windows = { settle_ms: 0, rest_ms: 1_000, press_ms: 1_000 };

test("machines that can't be had are a row and a note, and a lab that is there already stays", async () => {
  const labs = await mkdtemp(join(tmpdir(), "duet-labs-"));
  const before = process.env["DUET_LABS"];
  process.env["DUET_LABS"] = labs;
  try {
    await mkdir(join(labs, "bench-api"));
    const setting = await measurePlain(
      { title: "one machine, plain", machines: 1, rest: true, ways: ["cut"] },
      { name: "bench-api", disk_mb: 1, off_ms: 1, on_ms: 1, kubernetes: true },
      windows,
      5,
      new Progress(new Writable({ write: (_, __, done) => done() })),
    );
    const text = formatTable(twoTable([setting], windows));
    assert.match(text, /one machine, plain +0 of 1( +-){11}\n/);
    assert.match(text, /Failed: writes, one machine, plain, run 1: bench-api: there is a lab of this name/);
    assert.deepEqual(await readdir(labs), ["bench-api"]);
  } finally {
    if (before === undefined) delete process.env["DUET_LABS"];
    else process.env["DUET_LABS"] = before;
    await rm(labs, { recursive: true });
  }
});
