import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { type Message, messageShape } from "../src/agents/alerts/message.ts";
import { until } from "../src/machine/clock.ts";
import { makeAuthority, makeCertificate } from "./certificates.ts";
import { checkoutFolder } from "./checkout.ts";
import { duet, duetOk, on, ownLabsFolder } from "./testing.ts";

/** A site that tells a webhook at the operator's seat, and its journal: a loss from its first word to 1+1 again. */
ownLabsFolder();
const name = "alerts";
const receiver = "203.0.113.254";
const token = "Bearer t0k3n-0f-the-lab";
let folder = "";
let seat: ChildProcess | undefined;

const line = v.object({ at_ms: v.number(), authorization: v.string(), body: v.string() });
interface Taken {
  readonly at_ms: number;
  readonly authorization: string;
  readonly message: Message;
}
const taken: Taken[] = [];

const siteText = `name: alerts
topology: dual-replica
ssh_key: admin.pub
machines:
  - name: node1
    addresses: [192.0.2.11, 198.51.100.11]
    bmc: { address: 203.0.113.11, credentials: { file: bmc } }
  - name: node2
    addresses: [192.0.2.12, 198.51.100.12]
    bmc: { address: 203.0.113.12, credentials: { file: bmc } }
timeouts: { fence: 12s }
alerts:
  - webhook: { url: "https://${receiver}:8443/duet", headers: headers, trust: { ca: bmc-ca.crt } }
  - syslog: { facility: local0 }
`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-alerts-lab-"));
  await writeFile(join(folder, "site.yaml"), siteText);
  await writeFile(
    join(folder, "admin.pub"),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleEx me\n",
  );
  await writeFile(join(folder, "bmc"), "operator:secret\n", { mode: 0o600 });
  await writeFile(join(folder, "headers"), `Authorization: ${token}\n`, { mode: 0o600 });
  await makeCertificate(folder, receiver, await makeAuthority(folder));
  await duetOk("lab", "up", join(folder, "site.yaml"), "--name", name);
});
after(async () => {
  seat?.kill();
  await duetOk("lab", "down", "--name", name);
  await rm(folder, { recursive: true });
});

/** The webhook is not there before this: what happened until then waits for it on the machines. */
async function listen(): Promise<void> {
  const command = ["lab", "run", "seat", "--name", name, "--", process.execPath];
  const script = join(checkoutFolder(), "lab", "testing-webhook.ts");
  seat = spawn(join(checkoutFolder(), "duet"), [...command, script, folder, receiver, "8443"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (seat.stdout === null) throw new Error("no output");
  const lines = createInterface({ input: seat.stdout });
  await new Promise<void>((resolve) => {
    lines.on("line", (text) => {
      if (text === "listening") return resolve();
      const { body, ...how } = v.parse(v.pipe(v.string(), v.parseJson(), line), text);
      taken.push({ ...how, message: v.parse(v.pipe(v.string(), v.parseJson(), messageShape), body) });
    });
  });
}

const told = (kind: string, machine: string): readonly Taken[] =>
  taken.filter(({ message }) => message.kind === kind && message.machine === machine);

async function arrives(kind: string, machine: string): Promise<Taken> {
  const seen = () => Promise.resolve(told(kind, machine)[0]);
  try {
    return await until(`${kind} from ${machine}`, seen, { deadline_ms: 120_000 });
  } catch (error) {
    const all = taken.map(({ message }) => `${message.machine}: ${message.text}`);
    throw new Error(`taken was:\n${all.join("\n")}`, { cause: error });
  }
}

test("what happened while nobody listened arrives when somebody does, with the headers of the file", async () => {
  await until(
    "a try that failed, in the status",
    async () => {
      const { stdout } = await duet(["lab", "run", "node1", "--name", name, "--", "duet", "status"]);
      return /can't tell anybody by webhook 203\.0\.113\.254:8443: it can't be reached/.test(
        stdout.replaceAll(/\s+/g, " "),
      );
    },
    { deadline_ms: 60_000 },
  );
  await listen();
  const [one, other] = [await arrives("whole", "node1"), await arrives("whole", "node2")];
  assert.equal(one.message.happening, other.message.happening, "both tell the same");
  assert.notEqual(one.message.id, other.message.id);
  for (const { authorization } of taken) assert.equal(authorization, token);
});

test("node2's power is cut with its BMC away: lost, not fenced, a human is needed; then fenced, taken over, 1+1 again, each told once", async () => {
  taken.length = 0;
  // Nobody can prove node2 off before the word of its loss is here: else the takeover might be quicker than that.
  await duetOk("lab", "bmc", "fault", "node2", "unreachable", "--name", name);
  await duetOk("lab", "power", "cut", "node2", "--name", name);
  const lost = await arrives("machine-lost", "node1");
  // Nobody can tell whether it is off: that is what people are called for, while etcd has no quorum.
  const human = await arrives("human-needed", "node1");
  const unfenced = await arrives("fence-failed", "node1");
  assert.deepEqual(told("fence-done", "node1"), []);
  assert.deepEqual(told("takeover", "node1"), []);
  await duetOk("lab", "bmc", "fault", "node2", "none", "--name", name);
  const fenced = await arrives("fence-done", "node1");
  const takeover = await arrives("takeover", "node1");
  await arrives("machine-back", "node1");
  await arrives("whole", "node1");
  await arrives("whole", "node2");
  assert.equal(lost.message.about, "node2");
  assert.equal(unfenced.message.about, "node2");
  assert.deepEqual([human.message.severity, unfenced.message.severity], ["critical", "critical"]);
  assert.match(human.message.sentence, /nobody can tell whether node2 is off/);
  assert.match(fenced.message.sentence, /^node1 has switched node2 off/);
  assert.match(takeover.message.sentence, /^node1 has taken over and serves alone, as epoch 2$/);
  // In the order in which they happened, and the first of them long before etcd answered again.
  const at = (each: Taken) => Date.parse(each.message.at);
  assert.ok(at(lost) <= at(fenced) && at(fenced) <= at(takeover));
  assert.ok(lost.at_ms < at(takeover), "told while etcd had no quorum");
  const ids = taken.map(({ message }) => message.id);
  assert.equal(new Set(ids).size, ids.length, "none twice");
  for (const kind of ["machine-lost", "fence-done", "takeover", "machine-back", "whole"])
    assert.equal(told(kind, "node1").length, 1, kind);
  const journal = await on(name, "node1", "journalctl", "-t", "duet-alert", "-o", "cat", "--no-pager");
  assert.match(journal, /alerts: critical: node2 is lost[^]*alerts: warning: node1 has taken over/);
});

test("a reboot that somebody wants is told as such, and nothing as lost", async () => {
  taken.length = 0;
  await on(name, "node2", "systemctl", "--no-block", "reboot");
  const left = await arrives("machine-left", "node1");
  assert.deepEqual([left.message.about, left.message.severity], ["node2", "info"]);
  await arrives("whole", "node1");
  assert.deepEqual(
    taken.filter(({ message }) => message.severity !== "info").map(({ message }) => message.text),
    [],
  );
});

test("with etcd stopped a test message arrives from each machine; no secret is seen anywhere", async () => {
  for (const machine of ["node1", "node2"])
    await on(name, machine, "systemctl", "stop", "duet-work.path", "duet-work.service", "duet-etcd.service");
  await duetOk("lab", "run", "seat", "--name", name, "--", "duet", "alert-test");
  await arrives("test", "node1");
  await arrives("test", "node2");
  const search = `! { journalctl -b --no-pager; cibadmin --query; cat /etc/duet/site.yaml; } | grep -q t0k3n`;
  await on(name, "node1", "sh", "-c", search);
  const modes = await on(name, "node1", "stat", "-c", "%a %U", "/etc/duet/alerts/1.headers");
  assert.equal(modes.trim(), "600 root");
});
