import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { everything, minimal } from "../site/samples.ts";
import type { Machine, Site } from "../site/site.ts";
import { etcdEnvironment, etcdUnits, forceStart, joinStart, localUrl, plainStart } from "./etcd.ts";

function sampleOf(text: string): readonly [Site, Machine] {
  const { site, problems } = readSite(text, "site.yaml");
  const machine = site?.machines[0];
  assert.ok(site !== undefined && machine !== undefined, JSON.stringify(problems));
  return [site, machine];
}

const settings = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line): [string, string] => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]),
  );

test("etcd is told to listen on what is always there, and to be known by every link", () => {
  const [site, machine] = sampleOf(minimal);
  const env = settings(etcdEnvironment(site, machine));
  assert.equal(env.get("ETCD_LISTEN_PEER_URLS"), "https://0.0.0.0:2380");
  assert.equal(
    env.get("ETCD_INITIAL_ADVERTISE_PEER_URLS"),
    "https://192.0.2.11:2380,https://198.51.100.11:2380",
  );
  assert.equal(
    env.get("ETCD_INITIAL_CLUSTER"),
    "node1=https://192.0.2.11:2380,node1=https://198.51.100.11:2380",
  );
  assert.equal(localUrl(site, 2379), "https://127.0.0.1:2379");
});

test("IPv6 addresses have brackets, and one of them is enough for the IPv6 wildcard", () => {
  const [site, machine] = sampleOf(everything);
  const env = settings(etcdEnvironment(site, machine));
  assert.equal(env.get("ETCD_LISTEN_CLIENT_URLS"), "https://[::]:2379");
  assert.match(env.get("ETCD_ADVERTISE_CLIENT_URLS") ?? "", /^https:\/\/\[2001:db8::11\]:2379,https:\/\/198/);
  assert.equal(localUrl(site, 2380), "https://[::1]:2380");
});

test("nothing that outlives a boot begins or forces a cluster, or leaves TLS out", () => {
  const env = settings(etcdEnvironment(...sampleOf(minimal)));
  assert.equal(env.get("ETCD_INITIAL_CLUSTER_STATE"), "existing");
  assert.ok(!env.has("ETCD_FORCE_NEW_CLUSTER") && !env.has("ETCD_UNSAFE_NO_FSYNC"));
  assert.equal(env.get("ETCD_CLIENT_CERT_AUTH"), "true");
  assert.equal(env.get("ETCD_PEER_CLIENT_CERT_AUTH"), "true");
  for (const [name, value] of env) if (name.endsWith("_URLS")) assert.doesNotMatch(value, /http:/, name);
  assert.deepEqual([...settings(plainStart)], []);
  assert.deepEqual([...settings(forceStart)], [["ETCD_FORCE_NEW_CLUSTER", "true"]]);
});

test("a joiner is known by the addresses under which the peer added it, whatever its own are", () => {
  const self = { name: "node1", peerUrls: ["https://192.0.2.11:2380"] };
  const env = settings(joinStart(self, [{ name: "node2", peerUrls: ["https://192.0.2.12:2380"] }, self]));
  assert.equal(env.get("ETCD_INITIAL_ADVERTISE_PEER_URLS"), "https://192.0.2.11:2380");
  assert.equal(
    env.get("ETCD_INITIAL_CLUSTER"),
    "node2=https://192.0.2.12:2380,node1=https://192.0.2.11:2380",
  );
});

test("etcd is the last that the kernel kills for memory, and a stop does not wait for a leader", () => {
  const text = etcdUnits.find(({ name }) => name === "duet-etcd.service")?.contents ?? "";
  assert.match(text, /^OOMScoreAdjust=-999$/m);
  assert.match(text, /^TimeoutStopSec=1s$/m);
});

test("etcd's unit is started by nobody but the agent, at no boot, and never by itself again", () => {
  const unit = etcdUnits.find(({ name }) => name === "duet-etcd.service");
  const text = unit?.contents ?? "";
  assert.equal(unit?.enabled, undefined);
  assert.doesNotMatch(text, /^\[Install\]|^WantedBy|^Restart=(?!no$)/m);
  assert.match(text, /^AssertPathExists=\/run\/duet\/etcd-start\.env$/m);
  assert.match(text, /^AssertPathExists=!\/var\/lib\/duet\/etcd-masked$/m);
  // Ready may need the peer, and a unit that is not ready in time would be killed.
  assert.match(text, /^TimeoutStartSec=infinity$/m);
  assert.equal(etcdUnits.find(({ name }) => name === "etcd.service")?.mask, true);
});
