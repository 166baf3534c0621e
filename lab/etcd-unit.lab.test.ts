import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { until } from "../src/machine/clock.ts";
import { run } from "../src/machine/process.ts";
import { checkoutFolder } from "./checkout.ts";
import { duet, duetOk, on, ownLabsFolder, traces } from "./testing.ts";

/** etcd's unit on machines: the effects that the agent has on it, as a machine's systemd and etcd see them. In order. */
ownLabsFolder();
const name = "unit";
let was: readonly string[] = [];
const scratch = await mkdtemp(join(tmpdir(), "duet-unit-lab-"));

const outcome = v.object({
  ok: v.boolean(),
  value: v.optional(v.boolean()),
  failure: v.optional(v.object({ kind: v.string(), said: v.string() })),
});

/** One effect, by duet's own code on that machine; `ok`, what it gave, or how it failed. */
async function effect(machine: string, what: string): Promise<string> {
  const text = await on(name, machine, "/root/node", "/root/unit.mjs", what);
  const given = v.parse(v.pipe(v.string(), v.parseJson(), outcome), text);
  if (!given.ok) return `${given.failure?.kind ?? ""}: ${given.failure?.said ?? ""}`;
  return given.value === undefined ? "ok" : String(given.value);
}

const tls = (who: string) => [
  "--cacert=/etc/duet/tls/ca.crt",
  `--cert=/etc/duet/tls/${who}.crt`,
  `--key=/etc/duet/tls/${who}.key`,
];
const etcdctl = (machine: string, ...words: readonly string[]) =>
  on(name, machine, "etcdctl", ...tls("client"), "--endpoints=https://127.0.0.1:2379", ...words);
const unit = async (machine: string, property: string) =>
  (await on(name, machine, "systemctl", "show", "-P", property, "duet-etcd.service")).trim();

/** Power comes back at once, and a machine that is half-way up refuses for reasons of its own. One of its units may have failed. */
async function booted(machine: string): Promise<void> {
  const wait = ["lab", "run", machine, "--name", name, "--", "systemctl", "is-system-running", "--wait"];
  await until(
    `${machine} booted`,
    async () => /^(running|degraded)$/.test((await duet(wait)).stdout.trim()),
    { deadline_ms: 180_000, every_ms: 500 },
  );
}

/** A machine has no Node: the tests bring one, and the effects as one file. */
async function bringEffects(machine: string): Promise<void> {
  const checkout = checkoutFolder();
  const bundle = join(scratch, "unit.mjs");
  const esbuild = join(checkout, "node_modules/esbuild/bin/esbuild");
  const how = ["--bundle", "--platform=node", "--target=node24", "--format=esm", "--log-level=warning"];
  // A dependency of the site file's reader is CommonJS.
  const require = `--banner:js=import { createRequire } from "node:module"; const require = createRequire("/");`;
  const source = join(checkout, "lab", "testing-etcd-unit.ts");
  await run([esbuild, source, ...how, require, `--outfile=${bundle}`]);
  // Synced: one of the tests cuts the power.
  const copy = 'exec "$0" lab run "$1" --name "$2" -- sh -c "cat > $3; chmod 755 $3; sync $3 /root" < "$4"';
  const files = [
    [process.execPath, "/root/node"],
    [bundle, "/root/unit.mjs"],
  ] as const;
  for (const [from, to] of files)
    await run(["sh", "-c", copy, join(checkout, "duet"), machine, name, to, from], { deadline_ms: 120_000 });
}

before(async () => {
  was = await traces();
  await duetOk("lab", "up", "--name", name, "--disk-mb", "1024");
  for (const machine of ["node1", "node2"]) await bringEffects(machine);
  // The agent has made a cluster already. Here its hands are tried one by one: it rests, and its data is gone.
  for (const machine of ["node1", "node2"])
    await on(
      name,
      machine,
      "systemctl",
      "stop",
      "pacemaker",
      "duet-ring.path",
      "duet-work.path",
      "duet-work",
    );
  for (const machine of ["node1", "node2"])
    await on(name, machine, "sh", "-c", "rm -rf /var/lib/duet/etcd/* /var/lib/duet/state* /run/duet/*");
});
after(async () => {
  await duetOk("lab", "down", "--name", name);
  await rm(scratch, { recursive: true });
  assert.deepEqual(await traces(), was, "lab down left something behind");
});

test("with no agent etcd does not run, and the distribution's own never will", async () => {
  assert.equal(await effect("node1", "running"), "false");
  assert.equal(
    (await on(name, "node1", "systemctl", "show", "-P", "LoadState", "etcd.service")).trim(),
    "masked",
  );
  assert.doesNotMatch(await on(name, "node1", "ss", "-ltn"), /:23(79|80)\b/);
  await on(
    name,
    "node1",
    "systemd-analyze",
    "verify",
    "--man=no",
    "duet-etcd.service",
    "duet-work.service",
    "duet-work.path",
    "duet-ring.path",
    "duet-certificates.timer",
    "duet-fence-test.timer",
    "duet-fence-test.service",
    "duet-fence-test-again.timer",
  );
  // One that takes longer than its second to end is killed, which is a failure to systemd.
  assert.match(await unit("node1", "ActiveState"), /^(inactive|failed)$/);
});

test("only the agent starts it: systemctl by hand is refused, and with no data no cluster is begun", async () => {
  const byHand = await duet(["lab", "run", "node1", "--name", name, "--", "systemctl", "start", "duet-etcd"]);
  assert.equal(byHand.status, 1);
  assert.match(byHand.stderr, /[Aa]ssert/);
  assert.match(await effect("node1", "start"), /^failed: etcd ended .*cannot fetch cluster info/);
  assert.equal(await effect("node1", "running"), "false");
});

test("a first cluster of one machine, which the other joins over TLS; each start twice", async () => {
  for (const _ of [1, 2]) assert.equal(await effect("node1", "first"), "ok");
  assert.equal(await effect("node1", "running"), "true");
  await etcdctl("node1", "put", "color", "blue");
  assert.match(await effect("node2", "join"), /^unreachable: the peer does not list this machine/);
  const urls = "https://192.0.2.12:2380,https://198.51.100.12:2380";
  await etcdctl("node1", "member", "add", "node2", "--learner", `--peer-urls=${urls}`);
  for (const _ of [1, 2]) assert.equal(await effect("node2", "join"), "ok");
  const learner = /^([0-9a-f]+), started, node2,.*true$/m;
  const id = await until(
    "node2 as a learner",
    async () => learner.exec(await etcdctl("node1", "member", "list"))?.[1],
    {
      deadline_ms: 60_000,
    },
  );
  await until(
    "node2 as a voter",
    async () =>
      await etcdctl("node1", "member", "promote", id).then(
        () => true,
        () => false,
      ),
    { deadline_ms: 60_000, every_ms: 300 },
  );
  assert.match(await etcdctl("node2", "get", "color"), /blue/);
});

test("nobody comes in without a certificate, and a client's opens no member's port", async () => {
  const ask = async (port: number, ...words: readonly string[]) =>
    (
      await duet(
        ["lab", "run", "node2", "--name", name, "--", "openssl", "s_client", "-connect", `192.0.2.11:${port}`]
          .concat(["-CAfile", "/etc/duet/tls/ca.crt", "-verify_return_error", "-quiet"])
          .concat(["-verify_ip", "192.0.2.11", "-ign_eof", ...words]),
        { input: "GET /version HTTP/1.0\r\n\r\n" },
      )
    ).stdout;
  const as = (who: string) => ["-cert", `/etc/duet/tls/${who}.crt`, "-key", `/etc/duet/tls/${who}.key`];
  assert.match(await ask(2379, ...as("client")), /etcdserver/);
  assert.match(await ask(2380, ...as("peer")), /etcdserver/);
  assert.doesNotMatch(await ask(2379), /etcdserver/);
  assert.doesNotMatch(await ask(2380, ...as("client")), /etcdserver/);
});

test("a renewed certificate is used at once, with no restart", async () => {
  const pid = await unit("node1", "MainPID");
  const shown = async () =>
    await on(
      name,
      "node1",
      "sh",
      "-c",
      "openssl s_client -connect 127.0.0.1:2379 < /dev/null 2> /dev/null | openssl x509 -noout -serial",
    );
  const before = await shown();
  await on(name, "node1", "duet", "certificates");
  assert.equal(await shown(), before, "nothing was due");
  await on(name, "node1", "rm", "/etc/duet/tls/server.crt");
  await on(name, "node1", "duet", "certificates");
  assert.notEqual(await shown(), before);
  assert.equal(await unit("node1", "MainPID"), pid);
  await etcdctl("node1", "put", "color", "green");
});

test("etcd's process sees none of the machine's other secrets, and has no power of root's", async () => {
  const pid = await unit("node1", "MainPID");
  const seen = await on(
    name,
    "node1",
    "sh",
    "-c",
    `for f in /etc/duet/tls/ca.key /etc/duet/bmc/node2.credentials /etc/corosync/authkey /etc/duet/tls/server.key; do
       test -s /proc/${pid}/root$f && echo "$f"; done; grep CapEff /proc/${pid}/status`,
  );
  assert.match(seen, /^\/etc\/duet\/tls\/server\.key\nCapEff:\t0+\n$/);
});

test("etcd may have as many files open as its unit says, and is the last to go when memory is short", async (t) => {
  const pid = await unit("node1", "MainPID");
  const wanted = Number(await unit("node1", "LimitNOFILE"));
  assert.ok(wanted >= 65_536, String(wanted));
  assert.equal(await unit("node1", "OOMScoreAdjust"), "-999");
  const got = await openFiles(pid);
  assert.equal(got.soft, got.hard);
  // A lab's machine may have no more rights than the box's root; systemd gives what it may.
  if (await hasSysResource("node1")) {
    assert.equal(got.hard, wanted);
    assert.equal((await on(name, "node1", "cat", `/proc/${pid}/oom_score_adj`)).trim(), "-999");
    return;
  }
  assert.equal(got.hard, Math.min(wanted, (await openFiles("1")).hard));
  t.diagnostic(
    `no CAP_SYS_RESOURCE here: ${got.hard} files of ${wanted}, and no protection from the OOM killer`,
  );
});

async function openFiles(pid: string): Promise<{ readonly soft: number; readonly hard: number }> {
  const limits = await on(name, "node1", "cat", `/proc/${pid}/limits`);
  const [, soft, hard] = /^Max open files +(\d+) +(\d+) +files/m.exec(limits) ?? [];
  assert.ok(soft !== undefined && hard !== undefined, limits);
  return { soft: Number(soft), hard: Number(hard) };
}

async function hasSysResource(machine: "node1"): Promise<boolean> {
  const status = await on(name, machine, "cat", "/proc/1/status");
  const [, effective = "0"] = /^CapEff:\s+([0-9a-f]+)/m.exec(status) ?? [];
  return ((BigInt(`0x${effective}`) >> 24n) & 1n) === 1n;
}

test("without its peer it starts, answers and stops all the same; a stopped process is killed", async () => {
  assert.equal(await effect("node2", "stop"), "ok");
  assert.equal(await effect("node1", "stop"), "ok");
  assert.doesNotMatch(await on(name, "node1", "ss", "-ltn"), /:23(79|80)\b/);
  assert.equal(await effect("node1", "start"), "ok");
  assert.equal(await unit("node1", "ActiveState"), "activating", "not ready: its peer is away");
  assert.equal(await effect("node1", "running"), "true");
  await on(name, "node1", "sh", "-c", "kill -STOP $(systemctl show -P MainPID duet-etcd.service)");
  assert.equal(await effect("node1", "running"), "true", "it hangs, and it is there");
  for (const _ of [1, 2]) assert.equal(await effect("node1", "stop"), "ok");
  assert.equal(await effect("node1", "running"), "false");
});

test("the force flag makes a cluster of one, and is gone without a trace", async () => {
  assert.equal(await effect("node1", "force"), "ok");
  assert.equal(await effect("node1", "start"), "ok");
  await until(
    "a cluster of one",
    async () => (await etcdctl("node1", "member", "list")).trim().split("\n").length === 1,
    {
      deadline_ms: 60_000,
    },
  );
  assert.match(await etcdctl("node1", "get", "color"), /green/);
  assert.equal(await effect("node1", "unforce"), "ok");
  assert.equal(await effect("node1", "unforce"), "ok");
  assert.doesNotMatch(await on(name, "node1", "ls", "/run/duet"), /etcd(?!-version)/);
});

test("a mask outlives a power cut, and the force flag does not", async () => {
  // Nobody is to be fenced here, and after its boot the agent of node2 rests too.
  const agents = ["pacemaker", "corosync", "duet-ring.path", "duet-work.path"];
  for (const machine of ["node1", "node2"])
    await on(name, machine, "systemctl", "disable", "--now", ...agents);
  assert.equal(await effect("node2", "force"), "ok");
  assert.equal(await effect("node2", "mask"), "ok");
  assert.match(await effect("node2", "start"), /^refused: etcd may not start/);
  await duetOk("lab", "power", "cut", "node2", "--name", name);
  await duetOk("lab", "power", "on", "node2", "--name", name);
  await booted("node2");
  assert.match(await effect("node2", "start"), /^refused: etcd may not start/);
  assert.equal(await effect("node2", "unmask"), "ok");
  assert.doesNotMatch(await on(name, "node2", "sh", "-c", "ls /run/duet || true"), /force/);
});

test("what another process holds is told, and its port is not taken for etcd's", async () => {
  await on(
    name,
    "node2",
    "systemd-run",
    "--unit=squatter",
    "/root/node",
    "-e",
    "net.createServer().listen(2380)",
  );
  await until("the squatter", async () => /:2380\b/.test(await on(name, "node2", "ss", "-ltn")), {
    deadline_ms: 10_000,
  });
  assert.match(await effect("node2", "start"), /^refused: port 2380 is held/);
  await on(name, "node2", "systemctl", "stop", "squatter");
});

test("the Ignition files hold the authority, and no certificate's key", async () => {
  const labs = process.env["DUET_LABS"] ?? "";
  const text = await readFile(join(labs, name, "site", "rendered", "node1.ign"), "utf8");
  const key = await readFile(join(labs, name, "site", "rendered", "etcd-ca.key"), "utf8");
  assert.ok(text.includes(Buffer.from(key).toString("base64")));
  assert.doesNotMatch(text, /tls\/(server|peer|client)\./);
});
