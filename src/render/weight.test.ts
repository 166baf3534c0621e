import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import { machineUnits } from "./machine.ts";
import { ahead } from "./weight.ts";

const { site } = readSite(minimal, "site.yaml");
const [machine] = site?.machines ?? [];
assert.ok(site !== undefined && machine !== undefined);
const units = machineUnits(site, machine);
const textOf = (name: string): string =>
  units
    .filter((unit) => unit.name === name)
    .flatMap(({ contents = "", dropins = [] }) => [contents, ...dropins.map((each) => each.contents)])
    .join("\n");

test("etcd, and what acts in a failover, stand beside all pods and not among the machine's other services", () => {
  for (const name of ["duet-etcd.service", "duet-work.service", "pacemaker.service"]) {
    const text = textOf(name);
    assert.match(text, /^Slice=-\.slice$/m, name);
    const [cpu, io] = ["CPUWeight", "IOWeight"].map((key) =>
      Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(text)?.[1]),
    );
    // More than the 174 that pods have on two cores, with the newer formula.
    assert.ok(cpu !== undefined && cpu > 174 && cpu === io, `${name}: ${cpu}`);
  }
  assert.ok(textOf("duet-etcd.service").indexOf("Slice=") > textOf("duet-etcd.service").indexOf("[Service]"));
  // systemd ends nothing of the root at a shutdown, so no slice may come between.
  assert.ok(!units.some(({ name }) => name.endsWith(".slice")));
});

test("systemd takes them as they are", (context) => {
  if (spawnSync("systemd-analyze", ["--version"]).error !== undefined)
    return context.skip("systemd-analyze is not installed here");
  const folder = mkdtempSync(join(tmpdir(), "duet-weight-"));
  try {
    const file = join(folder, "duet-sample.service");
    writeFileSync(file, `[Service]\nExecStart=/bin/true\n${ahead("etcd")}`);
    const { stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    assert.doesNotMatch(stderr, /duet-sample\.service:\d+|Unknown|Failed to parse/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
