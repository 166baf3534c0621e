import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Secret } from "../base/secret.ts";
import { readSite } from "../site/read.ts";
import type { Site } from "../site/site.ts";
import { cibConfiguration, markProperty } from "./cib.ts";
import { fencingTimeout_s, offTimeout_s, raceDelay_s, turn_s } from "./fence-device.ts";
import { clusterName, corosyncConf } from "./corosync.ts";
import { machineIgnition, type Materials } from "./machine.ts";
import { fencePolicy } from "./policy.ts";

function siteOf(change: (site: Record<string, unknown>) => void = () => {}): Site {
  const bmc = (n: number) => ({
    address: `203.0.113.${n}`,
    credentials: { file: `${n}` },
    trust: { ca: "ca.crt" },
  });
  const text: Record<string, unknown> = {
    name: "shop-0042",
    topology: "dual-replica",
    ssh_key: "admin.pub",
    machines: [
      { name: "node2", addresses: ["192.0.2.12", "198.51.100.12"], bmc: bmc(12) },
      { name: "node1", addresses: ["192.0.2.11", "198.51.100.11"], bmc: bmc(11) },
    ],
  };
  change(text);
  const { site, problems } = readSite(JSON.stringify(text), "test");
  assert.ok(site !== undefined, JSON.stringify(problems));
  return site;
}

const password = `p$HOME "q" 'it\`s\` <&> \\`;
const materials = (site: Site): Materials => ({
  credentials: new Map(
    site.machines.map((m) => [m.name, { username: 'ad"min&', password: new Secret(password) }]),
  ),
  pduCredentials: new Map(),
  sshKeys: ["ssh-ed25519 AAAA operator"],
  authorities: new Map([["ca.crt", "PEM\n"]]),
  alerts: { secrets: new Map(), authorities: new Map() },
  corosyncKey: new Uint8Array(256).fill(7),
  etcdAuthority: { certificate: "CA\n", key: new Secret("CA KEY\n") },
});

test("Corosync: node ids follow the names, not the order in the file; consensus is below the token", () => {
  const conf = corosyncConf(siteOf());
  assert.match(
    conf,
    /name: node1\n\s+nodeid: 1\n\s+ring0_addr: 192\.0\.2\.11\n\s+ring1_addr: 198\.51\.100\.11/,
  );
  assert.match(conf, /name: node2\n\s+nodeid: 2/);
  assert.match(conf, /token: 1500\n\s+consensus: 500/);
  assert.match(conf, /two_node: 1\n\s+wait_for_all: 1/);
});

test("a cluster's name has at most 15 characters, and two long ones that begin alike differ", () => {
  const named = (name: string) => clusterName(siteOf((s) => Object.assign(s, { name })));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/), (name) => {
      fc.pre(!["leader", "seat", "localhost"].includes(name));
      assert.ok(named(name).length <= 15);
    }),
  );
  assert.notEqual(named("a-very-long-site-name-1"), named("a-very-long-site-name-2"));
});

test("the preferred machine is fenced later, the other at once", () => {
  const site = siteOf();
  const delays = site.machines.map((m) => [m.name, raceDelay_s(site, m)]);
  const later_s = site.timeouts.fence_ms / 1000 + fencePolicy.apart_s_min.value;
  assert.deepEqual(Object.fromEntries(delays), { node1: later_s, node2: 0 });
  const other = siteOf((s) => Object.assign(s, { fencing: { preferred: "node2" } }));
  assert.deepEqual(
    other.machines.map((m) => raceDelay_s(other, m)),
    [later_s, 0],
  );
});

test("the time-outs contain each other: fence, one try with its delay, all tries", () => {
  for (const fence of ["10s", "60s", "300s"]) {
    const site = siteOf((s) => Object.assign(s, { timeouts: { fence } }));
    const { xml } = cibConfiguration(site, new Map(), "fence_redfish");
    assert.match(xml, new RegExp(`name="power_timeout" value="${Number.parseInt(fence, 10)}"`));
    const fence_s = site.timeouts.fence_ms / 1000;
    for (const m of site.machines) {
      assert.ok(offTimeout_s(site, m, "fence_redfish") > raceDelay_s(site, m) + fence_s);
      assert.ok(
        offTimeout_s(site, m, "fence_duet") > fencePolicy.turns_waited.value * turn_s(site) + fence_s,
      );
      for (const agent of ["fence_duet", "fence_redfish"] as const)
        assert.ok(
          fencingTimeout_s(site, agent) >= offTimeout_s(site, m, agent) * (1 + fencePolicy.off_retries.value),
        );
    }
  }
});

test("the CIB holds no password, escapes what it holds, and its mark changes with any of it", () => {
  const site = siteOf();
  const names = new Map([
    ["node1", 'ad"min&'],
    ["node2", "x"],
  ]);
  const { xml, mark } = cibConfiguration(site, names, "fence_redfish");
  assert.ok(xml.includes("ad&quot;min&amp;"));
  assert.ok(xml.includes(`name="${markProperty}" value="${mark}"`));
  assert.doesNotMatch(xml, /name="passw(or)?d"/);
  const changed = siteOf((s) => Object.assign(s, { fencing: { preferred: "node2" } }));
  assert.notEqual(cibConfiguration(changed, names, "fence_redfish").mark, mark);
  assert.equal(cibConfiguration(site, names, "fence_redfish").mark, mark);
  const own = cibConfiguration(site, names).xml;
  assert.doesNotMatch(
    own,
    /passw|username|ad&quot;min/,
    "fence_duet is told of a file, and of nothing in it",
  );
});

test("the site says by which agent its machines are fenced", () => {
  const types = (site: Site) =>
    [...cibConfiguration(site, new Map()).xml.matchAll(/class="stonith" type="(\w+)"/g)].map(
      ([, type]) => type,
    );
  assert.deepEqual(types(siteOf()), ["fence_duet", "fence_duet"]);
  const stock = siteOf((s) => Object.assign(s, { fencing: { agent: "fence_redfish" } }));
  assert.deepEqual(types(stock), ["fence_redfish", "fence_redfish"]);
  const [machine] = stock.machines;
  assert.ok(machine !== undefined);
  const { storage } = machineIgnition(stock, machine, materials(stock));
  const file = (path: string) =>
    Buffer.from(
      storage.files.find((f) => f.path === path)?.contents.source.replace("data:;base64,", "") ?? "",
      "base64",
    ).toString();
  const { xml } = cibConfiguration(stock, new Map(stock.machines.map(({ name }) => [name, 'ad"min&'])));
  assert.equal(file("/etc/duet/cib.xml"), xml);
  assert.match(file("/etc/duet/site.yaml"), /agent: fence_redfish/);
});

test("IPv6 BMC addresses keep their brackets: the stock agent puts them into a URL as they are", () => {
  const site = siteOf((s) => {
    const machines = s["machines"];
    assert.ok(Array.isArray(machines));
    Object.assign(machines[0], {
      bmc: { address: "https://[2001:db8::12]:8443", credentials: { file: "x" } },
    });
  });
  const { xml } = cibConfiguration(site, new Map(), "fence_redfish");
  assert.match(xml, /name="ip" value="\[2001:db8::12\]"/);
  assert.match(xml, /name="ipport" value="8443"/);
});

test("a machine's secrets are in files that only root reads, literally, and in no other file", () => {
  const site = siteOf();
  const [machine] = site.machines;
  assert.ok(machine !== undefined);
  const { storage } = machineIgnition(site, machine, materials(site));
  const content = (source: string) =>
    Buffer.from(source.replace("data:;base64,", ""), "base64").toString("latin1");
  const holders = storage.files.filter((f) => content(f.contents.source).includes(password));
  assert.deepEqual(
    holders.map((f) => [f.path, f.mode]),
    [
      ["/etc/duet/bmc/node2.credentials", 0o600],
      ["/etc/duet/bmc/node1.credentials", 0o600],
    ],
  );
  assert.equal(content(holders[0]?.contents.source ?? ""), `ad"min&:${password}\n`);
  assert.equal(storage.files.find((f) => f.path === "/etc/corosync/authkey")?.mode, 0o400);
});

test("the site file on a machine is the same site, with references to the machine's own files", () => {
  const site = siteOf();
  const [machine] = site.machines;
  assert.ok(machine !== undefined);
  const { storage } = machineIgnition(site, machine, materials(site));
  const source = storage.files.find((f) => f.path === "/etc/duet/site.yaml")?.contents.source ?? "";
  const read = readSite(Buffer.from(source.replace("data:;base64,", ""), "base64").toString(), "site.yaml");
  assert.deepEqual(read.problems, []);
  assert.deepEqual(
    read.site?.machines.map((m) => m.addresses),
    site.machines.map((m) => m.addresses),
  );
  assert.deepEqual(read.site?.machines[0]?.bmc.credentials, { file: "/etc/duet/bmc/node2.credentials" });
  assert.deepEqual(read.site?.machines[0]?.bmc.trust, {
    by: "ca",
    file: "/usr/local/share/ca-certificates/duet-bmc-1.crt",
  });
});
