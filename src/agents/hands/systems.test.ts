import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bootSystems } from "./systems.ts";

test("what one process found another knows, by the BMC's URL", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-systems-"));
  try {
    const run = join(folder, "run");
    const one = { path: "/redfish/v1/Systems/1", reset: { target: "/redfish/v1/x", types: ["ForceOff"] } };
    const other = { path: "/redfish/v1/Systems/2" };
    assert.equal(bootSystems(run).of("https://203.0.113.1"), undefined);
    bootSystems(run).note("https://203.0.113.1", one);
    bootSystems(run).note("https://203.0.113.2", other);
    assert.deepEqual(bootSystems(run).of("https://203.0.113.1"), one);
    assert.deepEqual(bootSystems(run).of("https://203.0.113.2"), other);
    assert.equal(bootSystems(run).of("https://203.0.113.1:8443"), undefined, "another BMC");
    assert.deepEqual(await readdir(run), ["bmc-systems"]);
    for (const odd of ["", "{", '{"https://203.0.113.1":{"path":"no path"}}']) {
      await writeFile(join(run, "bmc-systems"), odd);
      assert.equal(bootSystems(run).of("https://203.0.113.1"), undefined);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a folder that can't be written is no reason to fail", () => {
  const systems = bootSystems("/dev/null/run");
  systems.note("https://203.0.113.1", { path: "/x" });
  assert.equal(systems.of("https://203.0.113.1"), undefined);
});
