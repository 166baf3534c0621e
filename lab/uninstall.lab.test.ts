import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import * as v from "valibot";
import { tagTestShape } from "../src/agents/hands/witness.ts";
import { until } from "../src/machine/clock.ts";
import { footprint } from "../src/render/footprint.ts";
import { readSite } from "../src/site/read.ts";
import { paths } from "../src/base/paths.ts";
import { checkoutFolder } from "./checkout.ts";
import { checkAtSeat, duet, duetOk, on, ownLabsFolder, redfish, traces } from "./testing.ts";

/** The tags that setup tested, and the way back: both machines without duet, their BMCs and data as they were. In order. */
ownLabsFolder();
const name = "uninstall";
let was: readonly string[] = [];

const shell = (machine: string, script: string) => on(name, machine, "sh", "-c", script);
const tagOf = (machine: string) => redfish(name, machine, "tag");
const tls = "--cacert=/etc/duet/tls/ca.crt --cert=/etc/duet/tls/client.crt --key=/etc/duet/tls/client.key";
const etcdctl = (words: string) => `etcdctl ${tls} --endpoints=https://127.0.0.1:2379 ${words}`;
const known = async (machine: string) =>
  v.parse(
    v.pipe(v.string(), v.parseJson(), v.record(v.string(), tagTestShape)),
    await shell(machine, "cat /var/lib/duet/witness"),
  );

/**
 * Everything on a machine with duet in its name, and all that is in duet's folder: by nobody's list. Not what systemd keeps of units that
 * ran: that is its own, and ends with the boot. A mount of its own has to be named.
 */
const namedDuet = `find / -xdev '(' -path /proc -o -path /sys -o -path /dev -o -path /run ')' -prune -o -iname '*duet*' -print || true
find /run /tmp -xdev -path /run/systemd -prune -o -iname '*duet*' -print || true
find /var/lib/duet -mindepth 1 -maxdepth 1`;

async function lookAround(machine: string): Promise<readonly string[]> {
  const found = (await shell(machine, namedDuet)).split("\n").filter((path) => path !== "");
  return [...new Set(found)].toSorted();
}

/** The paths that the manual says stay. */
function saidToStay(): readonly string[] {
  const manual = readFileSync(join(checkoutFolder(), "docs", "uninstall.md"), "utf8");
  const [, section = ""] = /^## What stays\n(.*?)^## /ms.exec(manual) ?? [];
  const named = [...section.matchAll(/`(\/[^`]+)`/g)].map(([, path = ""]) => path);
  assert.ok(named.includes(paths.etcdData) && named.includes(paths.startEtcd), named.join(" "));
  return named;
}

/** Of the lab's OS image (lab/image/customize.sh): it was there before duet. */
const labsOwn = [
  "/etc/systemd/journald.conf.d/duet-image.conf",
  "/etc/systemd/system-preset/99-duet-image.preset",
  "/etc/systemd/system/corosync.service.d/duet-lab-real-time.conf",
];

/** Kills it after its first step, then after its second, and so on, until one run comes to its end. */
const cutOffEverywhere = `n=0
while n=$((n + 1)); [ $n -lt 20 ]; do
  : > /run/cut.log
  systemd-run --quiet --unit=cut-$n --property=StandardError=append:/run/cut.log /usr/local/bin/duet uninstall --yes
  while systemctl is-active --quiet cut-$n; do
    [ "$(grep -c ✓ /run/cut.log)" -lt $n ] || systemctl kill --signal=KILL cut-$n 2> /dev/null || true
  done
  [ "$(systemctl show --property=Result --value cut-$n)" = signal ] || break
done
cat /run/cut.log >&2
[ -e /var/lib/duet/uninstalled ] && echo "$((n - 1)) times cut off"`;

before(async () => {
  was = await traces();
  await duetOk("lab", "up", "--name", name);
});
after(async () => {
  await duetOk("lab", "down", "--name", name);
  assert.deepEqual(await traces(), was, "lab down left something behind");
});

test("setup has tested both BMCs' tags once, both machines know it, and check says what it comes to", async () => {
  const [first, second] = [await known("node1"), await known("node2")];
  assert.deepEqual(first, second);
  assert.deepEqual([first["node1"]?.result, first["node2"]?.result], ["kept", "kept"]);
  for (const machine of ["node1", "node2"]) assert.match(await tagOf(machine), /"duet:[0-9a-f]{12}:1:1"/);
  const { table, wrong } = await checkAtSeat(name);
  assert.deepEqual(wrong, []);
  assert.match(table, /✓ starting alone +both BMCs keep their tag over a reset/);
});

test("what stood in a BMC is kept, and one that forgets its tag is found and told", async () => {
  await shell("node1", etcdctl("put uninstall/kept yes"));
  // As before duet's first tag.
  for (const machine of ["node1", "node2"]) await shell(machine, "rm /var/lib/duet/asset-tags");
  await redfish(name, "node2", "tag", "rack 7, unit 12");
  await on(name, "node2", "duet", "setup");
  await duetOk("lab", "bmc", "fault", "node2", "forgets-tag", "--name", name);
  const { stderr } = await duet("lab run node1 --name uninstall -- duet setup --witness-test".split(" "));
  const human = /starting alone needs a human: the BMC of node2 forgets its tag when it is reset/;
  assert.match(stderr, human);
  assert.match((await on(name, "node1", "sh", "-c", "duet status; true")).replaceAll(/\s+/g, " "), human);
  assert.match(
    await shell("node1", 'grep -c \'"result": "kept"\' /var/lib/duet/witness'),
    /^1$/m,
    "only node1's",
  );
  await duetOk("lab", "bmc", "fault", "node2", "none", "--name", name);
  assert.match(await tagOf("node2"), /"duet:[0-9a-f]{12}:1:1"/);
});

test("the machine that leaves first is clean, also where it was cut off, and its peer serves", async (t) => {
  await uninstallOn(t, "node2", false);
  assert.match(await tagOf("node2"), /"rack 7, unit 12"/);
  const members = await shell("node1", etcdctl("member list"));
  assert.equal(members.trim().split("\n").length, 1, members);
  await shell("node1", etcdctl("put uninstall/later yes"));
});

test("the last machine takes the rest, and etcd starts by the plain way on both", async (t) => {
  await uninstallOn(t, "node1", true);
  assert.match(await tagOf("node1"), /"tag":""/);
  assert.match(await tagOf("node2"), /"rack 7, unit 12"/);
  for (const [machine, last] of [
    ["node1", "yes"],
    ["node2", ""],
  ] as const) {
    await shell(machine, "systemd-run --quiet --unit=plain --setenv=HOME=/root /var/lib/duet/start-etcd.sh");
    const get = (key: string) => shell(machine, `etcdctl get --print-value-only ${key}`);
    await until(`etcd on ${machine}`, async () => (await get("uninstall/kept").catch(() => "")) !== "", {
      deadline_ms: 30_000,
    });
    assert.equal((await get("uninstall/kept")).trim(), "yes");
    assert.equal((await get("uninstall/later")).trim(), last);
    await shell(machine, "systemctl stop plain");
  }
});

async function uninstallOn(t: TestContext, machine: string, last: boolean): Promise<void> {
  const { site } = readSite(await shell(machine, "cat /etc/duet/site.yaml"), "site.yaml");
  const mine = site?.machines.find((m) => m.name === machine);
  assert.ok(site !== undefined && mine !== undefined);
  const { files, folders, units, stays } = footprint(site, mine);
  const all = [...files, ...folders, ...stays.map(({ path }) => path)];
  const there = async () =>
    (await shell(machine, `ls -d ${all.join(" ")} 2> /dev/null; true`)).trim().split("\n");
  // This site tells nobody: what alerts are kept in is made with the first of them.
  const unmade: ReadonlySet<string> = new Set([paths.alerts, paths.alertDrop, paths.alertRaised]);
  const made = all.filter((path) => !unmade.has(path));
  assert.deepEqual((await there()).toSorted(), made.toSorted(), "the list is what is on a machine");
  const seen = await lookAround(machine);
  for (const path of ["/etc/duet", "/usr/sbin/fence_duet", paths.run, paths.setupDone, ...labsOwn])
    assert.ok(seen.includes(path), `the look must see ${path}`);
  const refused = await duet(["lab", "run", machine, "--name", name, "--", "duet", "uninstall"]);
  assert.equal(refused.status, 2, "nobody can be asked");
  assert.match(refused.stdout, /it does\n[^]*remove \/usr\/sbin\/fence_duet\n[^]*it leaves\n/);
  if (last) await on(name, machine, "duet", "uninstall", "--yes", "--json");
  else t.diagnostic((await shell(machine, cutOffEverywhere)).trim());
  const done: unknown = JSON.parse(await shell(machine, "cat /var/lib/duet/uninstalled"));
  assert.equal(v.parse(v.object({ last: v.boolean() }), done).last, last);
  assert.deepEqual((await there()).toSorted(), stays.map(({ path }) => path).toSorted());
  const stay = new Set([...saidToStay(), ...labsOwn]);
  const left = await lookAround(machine);
  assert.deepEqual(
    left.filter((path) => !stay.has(path)),
    [],
    "nobody said that this stays",
  );
  for (const path of [paths.etcdData, paths.state, paths.record, paths.startEtcd, paths.uninstalled])
    assert.ok(left.includes(path), `${path} is gone`);
  assert.equal((await shell(machine, "ls -A /var/lib/pacemaker/cib")).trim(), "");
  assert.doesNotMatch(await shell(machine, "systemctl list-unit-files --no-legend"), /^duet-/m);
  assert.doesNotMatch(await shell(machine, "ip rule; ip -6 rule"), /2380/);
  assert.doesNotMatch(
    await shell(machine, "cat /etc/systemd/system-preset/* || true"),
    new RegExp(units.join("|")),
  );
  assert.match(await on(name, machine, "duet", "uninstall", "--yes"), /before: nothing is left to do/);
}
