import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { controlPlane, minimal } from "../site/samples.ts";
import type { Machine, Site } from "../site/site.ts";
import { linkFiles, linkUnits } from "./links.ts";

const site = siteOf(minimal);
const node1 = machineOf(site, "node1");

function machineOf({ machines }: Site, name: string): Machine {
  const found = machines.find((m) => m.name === name);
  assert.ok(found !== undefined);
  return found;
}

function siteOf(text: string): Site {
  const { site: read, problems } = readSite(text, "site.yaml");
  assert.ok(read !== undefined, JSON.stringify(problems));
  return read;
}

/** Runs node1's script beside an `ip` that only notes what it is told, and a Corosync whose links are `before`, then `then`. */
function ipCalls(before: string, then: string, of: Site = site): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "duet-links-"));
  const at = (name: string) => join(folder, name);
  const program = (name: string, text: string) => {
    writeFileSync(at(name), `#!/bin/sh\ncd ${folder}\n${text}`);
    chmodSync(at(name), 0o755);
  };
  try {
    program("ip", 'echo "$@" >> calls\n[ "$2 $3" != "route del" ] || grep -q "route replace $4" calls\n');
    program(
      "corosync-cmapctl",
      `case "$*" in
  *-t*) echo "${then}" > links; echo "modify> stats.knet.node2.link0.connected (u8) = 0" ;;
  *link0*) echo "x (u8) = $(cut -d' ' -f1 links)" ;;
  *) echo "x (u8) = $(cut -d' ' -f2 links)" ;;
esac
`,
    );
    writeFileSync(at("links"), `${before}\n`);
    writeFileSync(at("calls"), "");
    program("script", String(linkFiles(of, machineOf(of, "node1"))[0]?.content));
    const { status, stderr } = spawnSync(at("script"), {
      env: { PATH: `${folder}:/usr/bin:/bin`, RUNTIME_DIRECTORY: folder },
      timeout: 20_000,
    });
    assert.equal(status, 1, String(stderr));
    return readFileSync(at("calls"), "utf8").trim().split("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const detour1 = "-4 route replace 192.0.2.12 via 198.51.100.12 src 192.0.2.11 table 2380";
const detour2 = "-4 route replace 198.51.100.12 via 192.0.2.12 src 198.51.100.11 table 2380";
const replaced = (calls: readonly string[]) => calls.filter((call) => call.includes("route replace"));

test("TCP to an address of a dead link goes by the other link, and Corosync's own packets do not", () => {
  const calls = ipCalls("1 1", "0 1");
  assert.deepEqual(replaced(calls), [detour1]);
  const rules = calls.filter((call) => call.includes("rule add"));
  assert.equal(rules.length, 2);
  for (const rule of rules) assert.match(rule, /ipproto tcp table 2380/);
  assert.deepEqual(replaced(ipCalls("1 1", "1 0")), [detour2]);
});

test("a link that is well again is used again", () => {
  const calls = ipCalls("0 1", "1 1");
  assert.deepEqual(replaced(calls), [detour1]);
  assert.ok(calls.lastIndexOf("-4 route del 192.0.2.12 table 2380") > calls.indexOf(detour1));
});

test("with both links dead, or both well, nothing is led anywhere", () => {
  assert.deepEqual(replaced(ipCalls("1 1", "0 0")), []);
  assert.deepEqual(replaced(ipCalls("0 0", "1 1")), []);
});

test("with a control plane the peer's pods are led by the second link while the first is dead, and not longer", () => {
  const pods = "route replace 198.18.1.0/24 via 198.51.100.12 metric 50";
  const away = "-4 route del 198.18.1.0/24 via 198.51.100.12 metric 50";
  const own = siteOf(controlPlane);
  assert.deepEqual(replaced(ipCalls("1 1", "0 1", own)), [detour1, `-4 ${pods}`]);
  assert.deepEqual(replaced(ipCalls("1 1", "1 0", own)), [detour2]);
  const calls = ipCalls("0 1", "1 1", own);
  assert.ok(calls.lastIndexOf(away) > calls.indexOf(`-4 ${pods}`) && calls.includes(`-4 ${pods}`));
});

test("a site with one link has neither the script nor its unit", () => {
  const machines = site.machines.map((m) => ({ ...m, addresses: m.addresses.slice(0, 1) }));
  const single = { ...site, machines };
  assert.deepEqual(linkFiles(single, machineOf(single, "node1")), []);
  assert.deepEqual(linkUnits(single, machineOf(single, "node1")), []);
  assert.equal(linkUnits(site, node1).length, 1);
});
