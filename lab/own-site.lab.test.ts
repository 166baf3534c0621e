import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../src/machine/clock.ts";
import { bringUnit } from "./fixture-unit.ts";
import { openLab } from "./folder.ts";
import { hinder } from "./scenario-units.ts";
import { duet, duetOk, on, ownLabsFolder, probed, traces } from "./testing.ts";

/**
 * A user's own site file: other names, one link, another preference, an awkward password from the environment's side. It
 * consents to one real Off of each machine at setup, and wants a machine fenced that can't stop its kubelet.
 */
ownLabsFolder();
const name = "own";
const machines = ["left-machine", "right-machine"] as const;
let folder = "";
let was: readonly string[] = [];

const siteText = (topology: string) => `name: a-site-with-a-rather-long-name-0042
topology: ${topology}
ssh_key: admin.pub
machines:
  - name: left-machine
    addresses: [198.51.100.21]
    bmc: { address: "203.0.113.21:8443", credentials: { file: left } }
  - name: right-machine
    addresses: [198.51.100.22]
    bmc: { address: "203.0.113.22:8443", credentials: { file: right } }
fencing: { preferred: right-machine, test: setup, stop_failure: fence }
timeouts: { token: 2s }
`;

before(async () => {
  was = await traces();
  folder = await mkdtemp(join(tmpdir(), "duet-own-site-"));
  await writeFile(join(folder, "site.yaml"), siteText("dual-replica"));
  await writeFile(
    join(folder, "admin.pub"),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleEx me\n",
  );
  for (const side of ["left", "right"]) {
    await writeFile(join(folder, side), `admin:$(id) \`id\` "${side}" it's \\ all: one word\n`);
    await chmod(join(folder, side), 0o600);
  }
  await duetOk("lab", "up", join(folder, "site.yaml"), "--name", name);
});

after(async () => {
  await duetOk("lab", "down", "--name", name);
  assert.deepEqual(await traces(), was);
  await rm(folder, { recursive: true });
});

test("the user's names, addresses, preference and time-outs are on the machines", async () => {
  assert.match(await on(name, "left-machine", "crm_mon", "-1"), /Online: \[ left-machine right-machine \]/);
  const conf = await on(name, "left-machine", "cat", "/etc/corosync/corosync.conf");
  assert.match(conf, /ring0_addr: 198\.51\.100\.22/);
  assert.match(conf, /token: 2000/);
  // Whoever is preferred has the first turn in the race; it is swapped step by step while the pair is whole.
  await until(
    "right-machine has the first turn",
    async () => /"turn": 0\n/.test(await on(name, "right-machine", "cat", "/var/lib/duet/state")),
    { deadline_ms: 120_000 },
  );
  assert.match(await on(name, "left-machine", "cat", "/root/.ssh/authorized_keys"), /Example.* me/);
});

test("setup has switched each machine off once, as the site consents, and both know how long that took", async () => {
  for (const machine of machines) {
    const { fencing } = await probed(name, machine);
    for (const other of machines) assert.ok((fencing?.times[other]?.off?.worst_ms ?? 0) >= 1_000, machine);
  }
});

test("duet setup a second time changes nothing; a changed site is loaded by it", async () => {
  const query = () =>
    on(
      name,
      "left-machine",
      "crm_attribute",
      "--type",
      "crm_config",
      "--name",
      "duet-configuration",
      "--query",
      "--quiet",
    );
  const before = await query();
  await on(name, "left-machine", "duet", "setup");
  assert.equal(await query(), before);
  // The mark is made of what the file says and of the services that the machines have.
  const changed = `sed -i 's/name="pcmk_off_retries" value="[0-9]*"/name="pcmk_off_retries" value="7"/' /etc/duet/cib.xml`;
  for (const machine of machines) await on(name, machine, "sh", "-c", changed);
  await on(name, "left-machine", "duet", "setup");
  assert.notEqual(await query(), before);
  assert.match(await on(name, "right-machine", "cibadmin", "--query"), /name="pcmk_off_retries" value="7"/);
});

test("a setting that somebody changed is told by status and check, and put back by setup; Corosync's is refused", async () => {
  const status = () => duet(["lab", "run", "left-machine", "--name", name, "--", "duet", "status", "--json"]);
  const seen = async () => (await status()).stdout;
  const left = (...argv: readonly string[]) => on(name, "left-machine", ...argv);
  assert.doesNotMatch(await seen(), /DUET-E-STATUS-DRIFT/);
  await left("crm_attribute", "--type", "crm_config", "--name", "stonith-enabled", "--update", "false");
  assert.match(await seen(), /stonith-enabled is false, and duet sets true/);
  assert.equal((await status()).status, 1);
  await left("duet", "setup");
  assert.doesNotMatch(await seen(), /DUET-E-STATUS-DRIFT/);
  const conf = "/etc/corosync/corosync.conf";
  await left("sh", "-c", `cp ${conf} /run/was && sed -i 's/wait_for_all: 1/wait_for_all: 0/' ${conf}`);
  assert.match(await seen(), /corosync.conf does not set wait_for_all/);
  const refused = await duet(["lab", "run", "left-machine", "--name", name, "--", "duet", "setup"]);
  assert.match(refused.stderr, /DUET-E-STATUS-DRIFT/);
  await left("cp", "/run/was", conf);
  await left("duet", "setup");
  assert.doesNotMatch(await seen(), /DUET-E-STATUS-DRIFT/);
});

test("a kubelet that can't be stopped costs its machine the power, as the site says, and it comes back whole", async () => {
  for (const machine of machines) await on(name, machine, "sh", "-c", bringUnit("kubelet"));
  await Promise.all(machines.map((machine) => on(name, machine, "duet", "setup")));
  const right = (script: string) =>
    duet(["lab", "run", "right-machine", "--name", name, "--", "sh", "-c", script]);
  const kubeletRuns = async () => (await right("systemctl is-active --quiet kubelet.service")).status === 0;
  await until("kubelet runs", kubeletRuns, { deadline_ms: 60_000 });
  await right("touch /run/before-the-fence");
  await hinder(await openLab(name), "right-machine", "kubelet.service", "stop");
  await right("systemctl kill --signal=SIGKILL kubelet.service");
  await until(
    "right-machine has booted anew",
    async () => (await right("test ! -e /run/before-the-fence")).status === 0,
    { deadline_ms: 120_000, every_ms: 500 },
  );
  const fenced = /Operation 'off' targeting right-machine by .*: OK/;
  assert.match(await on(name, "left-machine", "journalctl", "--no-pager", "--unit=pacemaker"), fenced);
  await until("kubelet runs there again", kubeletRuns, { deadline_ms: 120_000, every_ms: 500 });
  await until(
    "both are promoted again",
    async () =>
      /Promoted: \[ left-machine right-machine \]/.test(await on(name, "left-machine", "crm_mon", "-1")),
    { deadline_ms: 120_000, every_ms: 500 },
  );
});

test("pair and single validate, and rendering them says not yet with status 3", async () => {
  for (const [topology, text] of [
    ["pair", siteText("pair")],
    [
      "single",
      siteText("single")
        .replace(/ {2}- name: right-machine\n.*\n.*\n/, "")
        .replace("preferred: right-machine", "preferred: left-machine"),
    ],
  ] as const) {
    const file = join(folder, `${topology}.yaml`);
    await writeFile(file, text);
    assert.equal((await duet(["check", "--offline", file])).status, 0, topology);
    const render = await duet(["render", file, "-o", join(folder, `out-${topology}`)]);
    assert.equal(render.status, 3);
    assert.match(render.stderr, /yet/);
    assert.equal((await duet(["lab", "up", file, "--name", "never"])).status, 3);
  }
});

test("rendering again keeps the cluster's key, and the files are the user's alone", async () => {
  const out = join(folder, "rendered");
  await duetOk("render", join(folder, "site.yaml"), "-o", out);
  const first = await readFile(join(out, "left-machine.ign"), "utf8");
  await duetOk("render", join(folder, "site.yaml"), "-o", out);
  assert.equal(await readFile(join(out, "left-machine.ign"), "utf8"), first);
});
