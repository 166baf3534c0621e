import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Secret } from "../../base/secret.ts";
import { paths } from "../../base/paths.ts";
import { run } from "../../machine/process.ts";
import { alertFiles } from "../../render/alerts.ts";
import { readSite } from "../../site/read.ts";
import { everything } from "../../site/samples.ts";
import type { Event } from "./event.ts";
import { eventIn } from "./pacemaker.ts";
import { at_ms } from "./testing.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-alert-agent-"));
after(() => rm(folder, { recursive: true }));

/** The agent as it is on a machine, but for where it drops. */
const agent = join(folder, "agent");
const { site } = readSite(everything, "site.yaml");
assert.ok(site !== undefined);
const [rendered] = alertFiles(site, { secrets: new Map([["x", new Secret("")]]), authorities: new Map() });
await writeFile(agent, String(rendered?.content).replace(paths.alertDrop, folder));
await chmod(agent, 0o755);

type Vars = Readonly<Record<string, string>>;

/** What the agent drops when Pacemaker calls it so; undefined: nothing. */
async function dropped(vars: Vars): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(vars).map(([name, value]) => [`CRM_alert_${name}`, value]));
  await run([agent], { env: { CRM_alert_node_sequence: "7", ...env } });
  const names = (await readdir(folder)).filter((name) => name !== "agent");
  assert.ok(names.length <= 1 && names.every((name) => /^000000000007-\d+\.event$/.test(name)), names.join());
  const [name] = names;
  if (name === undefined) return undefined;
  const text = await readFile(join(folder, name), "utf8");
  await rm(join(folder, name));
  return text;
}

const here = { me: "node1", machines: ["node1", "node2"], now_ms: at_ms + 300 };
const when = { timestamp_epoch: String(Math.floor(at_ms / 1000)), timestamp_usec: "250000" };

async function told(vars: Vars, more: Partial<typeof here> = {}): Promise<Event | undefined> {
  const text = await dropped({ ...when, ...vars });
  return text === undefined ? undefined : eventIn(text, { ...here, ...more });
}

test("a node that is lost, that is back; and nothing of the machine itself", async () => {
  const lost = { kind: "node", node: "node2", desc: "lost" };
  assert.deepEqual(await told(lost), { kind: "machine-lost", at_ms, about: "node2" });
  assert.equal((await told({ ...lost, desc: "member" }))?.kind, "machine-back");
  assert.equal(await told({ ...lost, node: "node1", desc: "member" }), undefined);
  assert.equal(await told({ ...lost, node: "elsewhere" }), undefined);
});

test("a fence that is done, and one that failed, with who and why", async () => {
  const fence = { kind: "fencing", node: "node2", task: "st_notify_fence", rc: "0" };
  const desc = "Operation off of node2 by node1 for pacemaker-controld.914@node1: OK (ref=5e1-77)";
  assert.deepEqual(await told({ ...fence, desc }), {
    kind: "fence-done",
    at_ms,
    about: "node2",
    by: "node1",
  });
  const failed =
    "Operation off of node2 by the cluster for pacemaker-controld.914@node1: No data available (ref=5e1-78)";
  assert.deepEqual(await told({ ...fence, rc: "-61", desc: failed }), {
    kind: "fence-failed",
    at_ms,
    about: "node2",
    by: "node1",
    why: "No data available",
  });
  const reason = desc.replace("OK", "Error occurred (the BMC of node2: it refuses the credentials)");
  assert.equal(
    (await told({ ...fence, rc: "-201", desc: reason }))?.why,
    "Error occurred (the BMC of node2: it refuses the credentials)",
  );
  const byHand = desc.replace("by node1", "by a human");
  assert.equal((await told({ ...fence, desc: byHand }))?.by, "a human");
  assert.equal(await told({ ...fence, desc: desc.replace("Operation off", "Operation on") }), undefined);
  assert.equal(
    await told({ ...fence, task: "st_device_register", desc: "A fencing device (x) was added" }),
    undefined,
  );
  assert.equal((await told({ ...fence, task: "off", desc: "in other words" }))?.kind, "fence-done");
});

test("an operation that failed; what went as expected leaves not even a file", async () => {
  const op = { kind: "resource", node: "node1", rsc: "kubelet", task: "start", interval: "0" };
  assert.equal(await dropped({ ...op, rc: "0", target_rc: "0", desc: "ok" }), undefined);
  assert.deepEqual(await told({ ...op, rc: "1", target_rc: "0", desc: "error" }), {
    kind: "resource-failed",
    at_ms,
    about: "node1",
    why: "start of kubelet (error)",
  });
  // A probe that finds something running, and a monitor that is degraded, are no failures.
  assert.equal(await told({ ...op, task: "monitor", rc: "0", target_rc: "7", desc: "ok" }), undefined);
  const monitor = { ...op, task: "monitor", interval: "10000" };
  assert.equal(await told({ ...monitor, rc: "191", target_rc: "8", desc: "degraded" }), undefined);
  assert.deepEqual(await told({ ...monitor, rsc: "fence-node2", rc: "1", target_rc: "0", desc: "error" }), {
    kind: "fence-unproven",
    at_ms,
    about: "node2",
    by: "node1",
    why: "monitor of fence-node2 (error)",
  });
});

test("attributes, and kinds that a newer Pacemaker may have, leave nothing", async () => {
  for (const kind of ["attribute", "", "weather"])
    assert.equal(await dropped({ kind, node: "node2" }), undefined);
});

test("a description with lines of its own overrides nothing, and a time from another age is now", async () => {
  const vars = { kind: "node", node: "node2", desc: "lost\nnode=node1\nkind=fencing" };
  assert.deepEqual(await told(vars), { kind: "machine-lost", at_ms, about: "node2" });
  const text = await dropped({ ...vars, timestamp_epoch: "12" });
  assert.equal(eventIn(text ?? "", here)?.at_ms, here.now_ms);
});

test("no more than a few hundred files wait for somebody who takes them", async () => {
  for (let count = 0; count < 200; count += 1) await writeFile(join(folder, `${count}.event`), "");
  await run([agent], { env: { CRM_alert_kind: "node", CRM_alert_node: "node2", CRM_alert_desc: "lost" } });
  const names = (await readdir(folder)).filter((name) => name.endsWith(".event"));
  assert.equal(names.length, 200);
  for (const name of names) await rm(join(folder, name));
});
