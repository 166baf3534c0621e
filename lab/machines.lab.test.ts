import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readIfThere } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import { until } from "../src/machine/clock.ts";
import { imageRoot } from "./testing-image.ts";
import { openLab } from "./folder.ts";
import { isSlow } from "./scenario-slow.ts";
import { checkAtSeat, duet, duetOk, fencesOfNode2, on, ownLabsFolder, redfish, traces } from "./testing.ts";

/** One lab, through everything that can be done to its machines. The tests stand in order: each leaves two machines up. */
const labs = ownLabsFolder();
const name = "main";
const lab = (...args: readonly string[]) => duetOk("lab", ...args, "--name", name);
const node1 = (...command: readonly string[]) => on(name, "node1", ...command);
const node2 = (...command: readonly string[]) => on(name, "node2", ...command);
let was: readonly string[] = [];

before(async () => {
  was = await traces();
  await lab("up", "--disk-mb", "1024");
});
after(async () => {
  await lab("down");
  assert.deepEqual(await traces(), was, "lab down left something behind");
});

async function bothOnline(): Promise<void> {
  await until(
    "both machines online",
    async () => /Online: \[ node1 node2 \]/.test(await node1("crm_mon", "-1")),
    { deadline_ms: 90_000, every_ms: 300 },
  );
}

/** node2 back, by itself: whoever proved it off powers it on. Its etcd is a voter again. */
async function node2Back(): Promise<void> {
  await until(
    "node2 a voter again",
    async () => /Promoted: \[ node1 node2 \]/.test(await node1("crm_mon", "-1")),
    { deadline_ms: 180_000, every_ms: 1000 },
  );
}

/** Whether a block device of the host has a brake on; undefined on a host with cgroup version 2, where it is per group. */
async function braked(): Promise<boolean | undefined> {
  const list = await readIfThere("/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device");
  return list === undefined ? undefined : list.trim() !== "";
}

const fences = (): Promise<number> => fencesOfNode2(name);

async function fencedSince(before: number): Promise<void> {
  await until("node2 proven off by node1", async () => (await fences()) > before, { deadline_ms: 180_000 });
}

/** Until node1 is joined to node2 by so many. */
async function links(count: number): Promise<void> {
  const connected = async () =>
    (await node1("corosync-cfgtool", "-s")).match(/nodeid:\s+2:\s+connected/g)?.length ?? 0;
  await until(`${count} links`, async () => (await connected()) === count, { deadline_ms: 60_000 });
}

test("the machines form one cluster, on both links, with files that their owners' checkers accept", async () => {
  await bothOnline();
  await links(2);
  await node1("corosync", "-t");
  await node1("crm_verify", "--live-check", "--verbose");
  await node1("systemd-analyze", "verify", "--man=no", "duet-setup.service", "corosync.service");
  const image = await imageRoot();
  for (const machine of ["node1", "node2"]) {
    const ignition = await readFile(join(labs, name, "site", "rendered", `${machine}.ign`), "utf8");
    await run(["chroot", image, "ignition-validate", "-"], { input: ignition });
  }
});

/** Who has how much of the host's, for the reader of a failure. */
async function realTimeShares(): Promise<string> {
  const { stdout } = await run(["grep", "-r", ".", "/sys/fs/cgroup/cpu", "--include=cpu.rt_runtime_us"], {
    accept: "any",
  });
  return stdout
    .split("\n")
    .filter((line) => line !== "" && !line.endsWith(":0"))
    .join(", ");
}

test("Corosync has a real-time priority, as on metal, wherever the host counts such time by groups", async (t) => {
  if ((await readIfThere("/sys/fs/cgroup/cpu/cpu.rt_runtime_us")) === undefined) {
    t.diagnostic("this host does not: whether Corosync has one is the kernel's to say");
    return;
  }
  for (const machine of [node1, node2]) {
    const threads = await machine("sh", "-c", "ps -L -o cls,rtprio --no-headers -p $(pidof corosync)");
    assert.match(threads, /^( *RR +99\n)+$/, `${threads}shares: ${await realTimeShares()}`);
  }
});

test("nothing of the lab is in the host's network namespace", async () => {
  const links = (await run(["ip", "-o", "link"])).stdout;
  assert.doesNotMatch(links, /link1|link2|mgmt|m1\.|b1\./);
  const machine = await node1("readlink", "/proc/1/ns/net");
  const host = (await run(["readlink", "/proc/self/ns/net"])).stdout;
  assert.notEqual(machine, host);
});

test("a service of one machine has no group on the other: the end of one must not take the other's away", async () => {
  const group = [
    "sh",
    "-c",
    "ls -d /sys/fs/cgroup/system.slice/only.service /sys/fs/cgroup/*/system.slice/only.service || true",
  ];
  await node1("systemd-run", "--quiet", "--unit=only", "sleep", "60");
  assert.match(await node1(...group), /only\.service/);
  assert.equal(await node2(...group), "");
  await node1("systemctl", "stop", "only");
});

test("the operator reaches the machines by ssh with the key that Ignition installed, and duet check is content", async () => {
  assert.equal((await on(name, "seat", "ssh", "node2", "hostname")).trim(), "node2");
  assert.deepEqual((await checkAtSeat(name)).wrong, []);
});

test("passwords are in root's own files on the machines, and nowhere else", async () => {
  const line = await readFile(join(labs, name, "site", "node2.bmc"), "utf8");
  const password = line.trim().slice(line.indexOf(":") + 1);
  const find = `grep -rlF -f /dev/stdin /etc /var /run /root /tmp 2>/dev/null | while read -r f; do stat -c "%a %n" "$f"; done; echo "CIB $(cibadmin --query | grep -cF -f /run/pw)"`;
  const command = `cat > /run/pw; chmod 600 /run/pw; sh -c '${find}' < /run/pw; rm /run/pw; for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; done`;
  const { stdout } = await run(
    [
      "sh",
      "-c",
      `exec "$0" lab run node1 --name ${name} -- sh -c "$1"`,
      join(process.cwd(), "duet"),
      command,
    ],
    { input: password },
  );
  const files = stdout.split("\n").filter((l) => /^\d{3} \//.test(l) && !l.endsWith("/run/pw"));
  assert.deepEqual(files.toSorted(), ["600 /etc/duet/bmc/node2.credentials"]);
  assert.ok(!stdout.includes(password), "the password is in an argument");
  assert.match(stdout, /^CIB 0$/m);
});

test("a power cut loses exactly what was not synced", async () => {
  const before = await fences();
  // While node1 can't reach the BMCs it does not power node2 on, so that its Off can be looked at.
  await lab("wire", "cut", "node1:mgmt");
  await node2(
    "sh",
    "-c",
    "cd /var/lib; echo kept > synced; sync synced; sync .; echo lost >> synced; echo lost > unsynced; cat synced unsynced | grep -c lost",
  );
  await lab("power", "cut", "node2");
  assert.match(await redfish(name, "node2", "state"), /"Off"/);
  await lab("wire", "heal", "node1:mgmt");
  await fencedSince(before);
  await node2Back();
  // ext4 may have journaled the longer size without the bytes: then there are zeros, and still nothing unsynced.
  assert.match(await node2("cat", "/var/lib/synced"), /^kept\n\0*$/);
  // Its name may be there, for the same reason; what was written into it is not.
  assert.doesNotMatch(await node2("sh", "-c", "cat /var/lib/unsynced || true"), /lost/);
});

test("a machine that is back before its peer has acted on its loss is whole again, fenced or not", async () => {
  await lab("power", "cut", "node2");
  await lab("power", "on", "node2");
  // Asked of node2, whose Pacemaker has begun anew: node1's word may be from before the cut.
  await until(
    "node2 a voter again, by its own word",
    async () => {
      const said = await duet(["lab", "run", "node2", "--name", name, "--", "crm_mon", "-1"]);
      return /Promoted: \[ node1 node2 \]/.test(said.stdout);
    },
    { deadline_ms: 180_000, every_ms: 1000 },
  );
  await node2Back();
});

test("a hung machine: its BMC reads On, a graceful reset does nothing, the peer has it powered off", async () => {
  const before = await fences();
  // While node1 can't reach the BMCs it can't fence, so the hung machine can be looked at.
  await lab("wire", "cut", "node1:mgmt");
  await lab("power", "hang", "node2");
  assert.match(await redfish(name, "node2", "state"), /"On"/);
  assert.match(await redfish(name, "node2", "reset", "GracefulShutdown"), /"ok":true/);
  assert.match(await redfish(name, "node2", "state"), /"On"/);
  assert.equal((await duet(["lab", "power", "off", "node2", "--name", name])).status, 1);
  await until("node1 missing its peer", async () => /UNCLEAN/.test(await node1("crm_mon", "-1")), {
    deadline_ms: 60_000,
  });
  assert.match(await redfish(name, "node2", "state"), /"On"/);
  await lab("wire", "heal", "node1:mgmt");
  await fencedSince(before);
  await node2Back();
});

test("without its feed machine and BMC are both dead; both come back with it", async () => {
  await lab("feed", "off", "node2");
  assert.match(await redfish(name, "node2", "state"), /"ok":false/);
  assert.equal((await duet(["lab", "power", "on", "node2", "--name", name])).status, 1);
  await until("node1 missing its peer", async () => /UNCLEAN/.test(await node1("crm_mon", "-1")), {
    deadline_ms: 60_000,
  });
  await lab("feed", "on", "node2");
  await node2Back();
});

test("an orderly power-off and a reboot are no failure: nobody is fenced", async () => {
  const asked = async () =>
    (await node1("sh", "-c", "journalctl -u pacemaker -o cat | grep -c 'Requesting fencing' || true")).trim();
  const before = await asked();
  await lab("power", "off", "node2");
  await lab("power", "on", "node2");
  await bothOnline();
  // Neither /run nor anything of the network outlives a boot.
  await node2("touch", "/run/before-the-reboot");
  await node2("ip", "address", "add", "192.0.2.77/24", "dev", "link1");
  // It may end us before it has answered: that it was heard is seen below.
  await duet(["lab", "run", "node2", "--name", name, "--", "systemctl", "reboot"]);
  await until(
    "node2's next boot",
    async () =>
      (await duet(["lab", "run", "node2", "--name", name, "--", "test", "!", "-e", "/run/before-the-reboot"]))
        .status === 0,
    { deadline_ms: 180_000, every_ms: 300 },
  );
  await bothOnline();
  assert.doesNotMatch(await node2("ip", "-brief", "address"), /192\.0\.2\.77/);
  assert.equal(await asked(), before);
});

test("pulling one link costs nothing but a warning, in both directions and in one", async () => {
  for (const cut of [["link1"], ["link2"], ["link1", "--from", "node1"], ["node2:link2"]]) {
    await lab("wire", "cut", ...cut);
    await links(1);
    assert.match(await node1("crm_mon", "-1"), /Online: \[ node1 node2 \]/);
    await on(name, "seat", "ssh", "node1", "true");
    await lab("wire", "heal", ...cut);
    await links(2);
  }
});

test("with both links cut the preferred machine wins and the other is powered off", async () => {
  const before = await fences();
  await lab("wire", "cut", "link1");
  await lab("wire", "cut", "link2");
  await fencedSince(before);
  assert.match(await redfish(name, "node1", "state"), /"On"/);
  // Booted into a cut wire it is inert: no quorum, and it fences nobody.
  const waiting = ["corosync-cmapctl", "-g", "runtime.votequorum.wait_for_all_status"];
  await until(
    "node2's Corosync waiting for all",
    async () => /= 1$/m.test((await duet(["lab", "run", "node2", "--name", name, "--", ...waiting])).stdout),
    { deadline_ms: 180_000, every_ms: 300 },
  );
  await lab("wire", "heal", "all");
  await node2Back();
  assert.match(await redfish(name, "node1", "state"), /"On"/);
});

test("faults of a BMC are seen by duet check, and end", async () => {
  for (const [fault, sign] of [
    ["unauthorized", /✗ BMC login/],
    ["unreachable", /✗ BMC reachable/],
    ["hang-in-tls", /✗ BMC/],
  ] as const) {
    await lab("bmc", "fault", "node1", fault);
    assert.match((await checkAtSeat(name)).wrong.join("\n"), sign, fault);
    await lab("bmc", "fault", "node1", "none");
    const good = await checkAtSeat(name);
    assert.deepEqual(good.wrong, [], `after ${fault}:\n${good.table}`);
  }
});

test("the disk: filled it takes no more, slow it syncs slowly", async () => {
  await lab("disk", "fill", "node2");
  assert.equal(
    (
      await duet([
        "lab",
        "run",
        "node2",
        "--name",
        name,
        "--",
        "dd",
        "if=/dev/zero",
        "of=/var/lib/more",
        "bs=1M",
        "count=8",
        "conv=fsync",
      ])
    ).status,
    1,
  );
  await lab("disk", "free", "node2");
  await node2("sh", "-c", "dd if=/dev/zero of=/var/lib/more bs=1M count=8 conv=fsync && rm /var/lib/more");
  // By the machine's own clock: to get there takes longer than five syncs.
  const syncs =
    "t=$(date +%s%N); for i in 1 2 3 4 5; do echo x >> /var/lib/slow; sync /var/lib/slow; done; echo $((($(date +%s%N) - t) / 1000000))";
  const probe = async () => Number(await node2("sh", "-c", syncs));
  const fast_ms = await probe();
  await lab("disk", "slow", "node2", "100");
  // A floor, and load only lifts what stands on it.
  const { ok, seen } = await isSlow(await openLab(name), "node2", 100);
  assert.ok(ok, seen);
  const slow_ms = await probe();
  assert.notEqual(await braked(), false);
  await lab("disk", "fast", "node2");
  assert.notEqual(await braked(), true);
  // Five syncs of at least one throttled write each, against five that are not. Of a disk that is as slow by itself it says nothing.
  const ownSlow_ms = 125;
  assert.ok(slow_ms > fast_ms * 2 || fast_ms > ownSlow_ms, `${slow_ms} ms against ${fast_ms} ms`);
});

test("a second lab of another name lives beside the first", async () => {
  await duetOk("lab", "up", "--name", "other", "--no-wait");
  assert.deepEqual(JSON.parse(await duetOk("lab", "list", "--json")), ["main", "other"]);
  await duetOk("lab", "power", "cut", "node1", "--name", "other");
  assert.match(
    await duetOk("lab", "status", "--name", "other", "--json"),
    /"name": "node1",\s+"power": "off"/,
  );
  assert.match(await lab("status", "--json"), /"name": "node1",\s+"power": "on"/);
  await duetOk("lab", "down", "--name", "other");
  await bothOnline();
});

test("wrong names are told with the right ones, and change nothing", async () => {
  for (const [args, says] of [
    [["power", "cut", "node3"], /its machines are node1 and node2/],
    [["wire", "cut", "link3"], /link1, link2, mgmt/],
    [["bmc", "fault", "node1", "sleepy"], /hang-in-tls/],
    [["disk", "slow", "node1", "never"], /1 to 1000 ms/],
    [["power", "explode", "node1"], /Allowed choices/],
  ] as const) {
    const { status, stderr } = await duet(["lab", ...args, "--name", name]);
    assert.equal(status, 2, args.join(" "));
    assert.match(stderr, says);
  }
});
