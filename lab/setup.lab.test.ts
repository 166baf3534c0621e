import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../src/machine/clock.ts";
import { bringUnit } from "./fixture-unit.ts";
import { checkAtSeat, duet, duetBegun, duetOk, on, ownLabsFolder, probed, traces } from "./testing.ts";

/** What setup makes of two machines, also when it is cut off, and what it leaves to Pacemaker. In order. */
ownLabsFolder();
const name = "setup";
const machines = ["node1", "node2"] as const;
let was: readonly string[] = [];

const shell = (machine: string, script: string) => on(name, machine, "sh", "-c", script);
const onBoth = <T>(work: (machine: string) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(machines.map(work));
const probe = (machine: string) => probed(name, machine);
const tls = "--cacert=/etc/duet/tls/ca.crt --cert=/etc/duet/tls/client.crt --key=/etc/duet/tls/client.key";
const memberList = `etcdctl ${tls} --endpoints=https://127.0.0.1:2379 member list`;
const etcdPid = (machine: string) => shell(machine, "systemctl show -P MainPID duet-etcd.service");
const runs = async (machine: string, unit: string) =>
  (await shell(machine, `systemctl is-active ${unit} || true`)).trim() === "active";

before(async () => {
  was = await traces();
  await duetOk("lab", "up", "--name", name, "--disk-mb", "1024");
});
after(async () => {
  await duetOk("lab", "down", "--name", name);
  assert.deepEqual(await traces(), was, "lab down left something behind");
});

/** As before the first boot: no cluster, no data, no certificates but the authority's. */
const bare = `systemctl stop duet-work.path duet-ring.path duet-work.service pacemaker corosync duet-etcd
rm -rf /etc/duet/begun /var/lib/duet/* /var/lib/pacemaker/cib/* /var/lib/corosync/* /run/duet/*
rm -f /etc/duet/tls/server.* /etc/duet/tls/peer.* /etc/duet/tls/client.*
rm -f /etc/systemd/system/multi-user.target.wants/corosync.service /etc/systemd/system/multi-user.target.wants/pacemaker.service
systemctl daemon-reload; systemctl start duet-work.path duet-ring.path`;

/**
 * Kills setup and all that it started after its first step, then after its second, and so on, until one ends before so many steps. One
 * that was through before the look at its steps saw them is tried again, twice: after its last step it always is.
 */
const cutOffEverywhere = `n=1; tries=0; runs=0; cuts=0
while [ $n -lt 40 ]; do
  runs=$((runs + 1)); unit=cut-$runs
  : > /run/cut.log
  systemd-run --quiet --unit=$unit --property=StandardError=append:/run/cut.log /usr/local/bin/duet setup
  while systemctl is-active --quiet $unit; do
    [ "$(grep -c ✓ /run/cut.log)" -lt $n ] || systemctl kill --signal=KILL $unit 2> /dev/null || true
  done
  case "$(systemctl show --property=Result --value $unit)" in
    signal) cuts=$((cuts + 1)); tries=0; n=$((n + 1)) ;;
    success)
      [ "$(grep -c ✓ /run/cut.log)" -ge $n ] || { echo "$cuts times cut off"; exit 0; }
      tries=$((tries + 1)); [ $tries -lt 3 ] || { tries=0; n=$((n + 1)); } ;;
    *) cat /run/cut.log; systemctl status --full --lines=50 $unit; exit 1 ;;
  esac
done
echo "cut off $cuts times, and never at its end:"; cat /run/cut.log; exit 1`;

/** Two dozen setups take their time where others use the box, too. */
async function cutsOn(machine: string): Promise<string> {
  const { status, stdout, stderr } = await duet(
    ["lab", "run", machine, "--name", name, "--", "sh", "-c", cutOffEverywhere],
    { deadline_ms: 900_000 },
  );
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

test("cut off after any of its steps, setup is run again and makes a whole site", async (t) => {
  await onBoth((machine) => shell(machine, bare));
  const told = await onBoth(cutsOn);
  t.diagnostic(told.join(", "));
  for (const each of told) assert.ok(Number.parseInt(each, 10) >= 13, each);
  const reports = await onBoth(probe);
  assert.deepEqual(
    reports.map(({ setup }) => setup?.state),
    ["done", "done"],
  );
  const members = await shell("node1", memberList);
  assert.equal(
    members
      .trim()
      .split("\n")
      .filter((line) => line.endsWith("false")).length,
    2,
    members,
  );
});

test("a service that is installed later is Pacemaker's after the next setup, and its failure is not etcd's", async () => {
  await onBoth((machine) => shell(machine, bringUnit("kubelet")));
  await onBoth((machine) => on(name, machine, "duet", "setup"));
  await onBoth((machine) =>
    until(`kubelet runs on ${machine}`, () => runs(machine, "kubelet"), { deadline_ms: 60_000 }),
  );
  for (const machine of machines)
    assert.equal((await shell(machine, "systemctl is-enabled kubelet || true")).trim(), "disabled");
  const pids = await onBoth(etcdPid);
  const kubelet = await shell("node2", "systemctl show -P MainPID kubelet");
  await shell("node2", "systemctl kill --signal=KILL kubelet");
  await until(
    "kubelet runs again",
    async () =>
      (await runs("node2", "kubelet")) &&
      (await shell("node2", "systemctl show -P MainPID kubelet")) !== kubelet,
    { deadline_ms: 60_000, every_ms: 500 },
  );
  await shell("node2", "ln -sf /bin/false /run/kubelet-fixture; systemctl kill --signal=KILL kubelet");
  await until(
    "the failed start is shown",
    async () => /kubelet start on node2 returned/.test(await on(name, "node1", "crm_mon", "-1")),
    { deadline_ms: 60_000, every_ms: 500 },
  );
  await shell("node2", "ln -sf /bin/sleep /run/kubelet-fixture; crm_resource --cleanup --resource kubelet");
  await until("kubelet runs again", () => runs("node2", "kubelet"), { deadline_ms: 60_000, every_ms: 500 });
  assert.deepEqual(await onBoth(etcdPid), pids);
});

test("while its peer is away setup waits and changes nothing, and goes on when it is back", async () => {
  await shell("node2", "systemctl stop pacemaker");
  const before = await shell("node1", "cibadmin --query --scope configuration");
  const setup = duetBegun(["lab", "run", "node1", "--name", name, "--", "duet", "setup"]);
  // A step is told when it has taken two seconds: from then on it has waited for some time.
  const waiting = "… wait for node2\n";
  await until("setup waiting for node2", async () => setup.said().includes(waiting) || setup.hasEnded(), {
    deadline_ms: 60_000,
  });
  assert.ok(setup.said().includes(waiting) && !setup.hasEnded(), setup.said());
  assert.equal(await shell("node1", "cibadmin --query --scope configuration"), before);
  await shell("node2", "systemctl start pacemaker");
  assert.equal(await setup.ended, 0, setup.said());
  assert.match(setup.said(), /… wait for node2\n.*✓ wait for node2/s);
});

test("one real Off is measured where somebody consents, and both machines know both times", async () => {
  await on(name, "node1", "duet", "setup", "--fence-test");
  const [first, second] = await onBoth(probe);
  assert.deepEqual(first?.fencing, second?.fencing);
  const { node1, node2 } = first?.fencing?.times ?? {};
  assert.ok((node1?.call_ms_worst ?? 0) > 0 && node1?.off === undefined);
  assert.ok((node2?.off?.worst_ms ?? 0) >= 1_000, "the lab's BMCs take a second");
  const { table, wrong } = await checkAtSeat(name);
  assert.deepEqual(wrong, []);
  assert.match(table, /fence time +Off took \d.* a margin of \d/);
  assert.match(table, /fence time +a call to its BMC takes .* never switched off for real/);
});

test("ocf-tester passes on a machine that is the only member", async () => {
  await duetOk("lab", "power", "off", "node2", "--name", name);
  await until(
    "a single member",
    async () => (await shell("node1", memberList)).trim().split("\n").length === 1,
    {
      deadline_ms: 60_000,
      every_ms: 500,
    },
  );
  await shell("node1", "crm_attribute --name maintenance-mode --update true");
  const { status, stdout, stderr } = await duet(
    ["lab", "run", "node1", "--name", name, "--", "ocf-tester", "-n", "etcd"].concat(
      "/usr/lib/ocf/resource.d/duet/etcd",
    ),
  );
  assert.equal(status, 0, `${stdout}${stderr}`);
  assert.match(stdout, /passed all tests/);
  await shell("node1", "crm_attribute --name maintenance-mode --delete; crm_resource --cleanup");
  await until(
    "it serves again",
    async () =>
      (await duet(["lab", "run", "node1", "--name", name, "--", "sh", "-c", memberList])).status === 0,
    {
      deadline_ms: 60_000,
      every_ms: 500,
    },
  );
});
