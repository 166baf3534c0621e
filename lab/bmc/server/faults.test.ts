import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { now_ms, until } from "../../../src/machine/clock.ts";
import { clearFaults, parseFault, writeFault } from "../fault.ts";
import { type Bench, bench, FakeMetal, password, testTls, username } from "../testing.ts";

const system = "/redfish/v1/Systems/1";
const sessions = "/redfish/v1/SessionService/Sessions";
const soon = { deadline_ms: 5_000, every_ms: 5 };

async function faulty(kind: string, argument?: string): Promise<Bench> {
  const lab = await bench({ metal: new FakeMetal(true) });
  await writeFault(lab.folder, parseFault(kind, argument));
  return lab;
}
const forceOff = (lab: Bench) =>
  lab.call("POST", `${system}/Actions/ComputerSystem.Reset`, { body: { ResetType: "ForceOff" } });
const powerState = async (lab: Bench) => (await lab.call("GET", system)).json["PowerState"];

test("hang-in-tls: TCP connects, TLS never does; clearing the fault heals at once", async () => {
  await using lab = await faulty("hang-in-tls");
  const socket = connectTcp(lab.bmc.port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  await assert.rejects(lab.call("GET", system, { deadline_ms: 300 }), /no complete answer/);
  await clearFaults(lab.folder);
  assert.equal((await lab.call("GET", system)).status, 200);
});

test("hang-after-connect: TLS is set up, no request is answered", async () => {
  await using lab = await faulty("hang-after-connect");
  const socket = connectTls({ port: lab.bmc.port, host: "127.0.0.1", ca: (await testTls()).cert });
  await once(socket, "secureConnect");
  socket.destroy();
  await assert.rejects(lab.call("GET", system, { deadline_ms: 300 }), /no complete answer/);
});

test("drip: the answer comes byte by byte", async () => {
  await using lab = await faulty("drip");
  const socket = connectTls({ port: lab.bmc.port, host: "127.0.0.1", ca: (await testTls()).cert });
  await once(socket, "secureConnect");
  socket.write("GET /redfish/v1/ HTTP/1.1\r\nhost: bmc\r\n\r\n");
  const seen: string[] = [];
  socket.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
  await until("two bytes came", async () => seen.length === 2, soon);
  assert.deepEqual(seen, ["H", "T"]);
  socket.destroy();
  await assert.rejects(lab.call("GET", "/redfish/v1/", { deadline_ms: 300 }), /no complete answer/);
});

test("unauthorized: right credentials are refused everywhere, a login too", async () => {
  await using lab = await faulty("unauthorized");
  assert.equal((await lab.call("GET", system)).status, 401);
  assert.equal((await lab.call("GET", "/redfish/v1/")).status, 401);
  assert.equal((await lab.call("GET", "/redfish/v1/", { login: "none" })).status, 200);
  const body = { UserName: username, Password: password };
  assert.equal((await lab.call("POST", sessions, { login: "none", body })).status, 401);
});

test("server-error: 500, and nothing is done", async () => {
  await using lab = await faulty("server-error");
  assert.equal((await lab.call("GET", "/redfish/v1/")).status, 500);
  assert.equal((await forceOff(lab)).status, 500);
  assert.deepEqual(lab.metal.done, []);
});

test("session-limit: no session, while basic login works", async () => {
  await using lab = await faulty("session-limit");
  const body = { UserName: username, Password: password };
  const reply = await lab.call("POST", sessions, { login: "none", body });
  assert.equal(reply.status, 503);
  assert.match(reply.body, /SessionLimitExceeded/);
  assert.equal((await lab.call("GET", system)).status, 200);
});

test("the limit of sessions holds without a fault too", async () => {
  await using lab = await bench();
  const body = { UserName: username, Password: password };
  const statuses: number[] = [];
  for (let i = 0; i < 17; i += 1)
    statuses.push((await lab.call("POST", sessions, { login: "none", body })).status);
  assert.deepEqual(new Set(statuses.slice(0, 16)), new Set([201]));
  assert.equal(statuses[16], 503);
});

test("lies: success everywhere, no effect anywhere, and bad input is still refused", async () => {
  await using lab = await faulty("lies");
  assert.equal((await forceOff(lab)).status, 204);
  const patch = await lab.call("PATCH", system, { body: { AssetTag: "duet" } });
  assert.equal(patch.status, 200);
  assert.equal(patch.json["AssetTag"], "duet");
  const { json } = await lab.call("GET", system);
  assert.equal(json["AssetTag"], "");
  assert.equal(json["PowerState"], "On");
  assert.deepEqual(lab.metal.done, []);
  assert.equal((await lab.call("PATCH", system, { body: { Nothing: 1 } })).status, 400);
});

test("accepted-no-effect: 202, a task that completes, and no effect", async () => {
  await using lab = await faulty("accepted-no-effect");
  const reply = await forceOff(lab);
  assert.equal(reply.status, 202);
  const monitor = reply.headers["location"] ?? "";
  assert.equal((await lab.call("GET", monitor)).status, 202);
  await until("the task is done", async () => (await lab.call("GET", monitor)).status === 204, soon);
  const task = await lab.call("GET", monitor.replace("TaskMonitors", "Tasks"));
  assert.equal(task.json["TaskState"], "Completed");
  assert.equal(await powerState(lab), "On");
  assert.equal((await lab.call("PATCH", system, { body: { AssetTag: "duet" } })).status, 202);
  assert.equal((await lab.call("GET", system)).json["AssetTag"], "");
});

test("graceful-off: ForceOff presses the button, so a hung machine stays on", async () => {
  await using lab = await faulty("graceful-off");
  lab.metal.hung = true;
  assert.equal((await forceOff(lab)).status, 204);
  assert.equal(await powerState(lab), "On");
  assert.deepEqual(lab.metal.done, ["press"]);
});

test("refuses-done: ForceOff is done once, and refused from then on", async () => {
  await using lab = await faulty("refuses-done");
  assert.equal((await forceOff(lab)).status, 204);
  await until("the power is gone", async () => (await powerState(lab)) === "Off", soon);
  assert.equal((await forceOff(lab)).status, 409);
});

test("stale-power-state: what was read before the fault is shown for as long as it lasts", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  assert.equal(await powerState(lab), "On");
  await writeFault(lab.folder, parseFault("stale-power-state"));
  assert.equal((await forceOff(lab)).status, 204);
  await until("the power is gone", async () => !lab.metal.powered, soon);
  assert.equal(await powerState(lab), "On");
  await clearFaults(lab.folder);
  assert.equal(await powerState(lab), "Off");
});

test("no-power-state: PowerState is missing, power actions are refused, and the tag is written as ever", async () => {
  await using lab = await faulty("no-power-state");
  const { status, json } = await lab.call("GET", system);
  assert.deepEqual([status, json["PowerState"], json["AssetTag"]], [200, undefined, ""]);
  assert.equal((await forceOff(lab)).status, 503);
  assert.deepEqual(lab.metal.done, []);
  assert.equal((await lab.call("PATCH", system, { body: { AssetTag: "duet" } })).status, 200);
  await clearFaults(lab.folder);
  assert.equal(await powerState(lab), "On");
});

test("slow: the answer is right and late", async () => {
  await using lab = await faulty("slow", "0.3");
  const start_ms = now_ms();
  assert.equal(await powerState(lab), "On");
  assert.ok(now_ms() - start_ms >= 290);
});

test("forgets-tag: the tag is gone after a reset of the manager or a loss of its power, not before", async () => {
  await using lab = await faulty("forgets-tag");
  const tag = async () => (await lab.call("GET", system)).json["AssetTag"];
  const write = () => lab.call("PATCH", system, { body: { AssetTag: "duet" } });
  await write();
  await lab.restart();
  assert.equal(await tag(), "duet");
  await lab.restart({ feedReturned: true });
  assert.equal(await tag(), "");
  await write();
  await lab.call("POST", "/redfish/v1/Managers/1/Actions/Manager.Reset", { body: {} });
  await until("the tag is gone", async () => (await tag().catch(() => undefined)) === "", soon);
});

test("older-tag: after a loss of its power the tag is the one before the last, and after a reset of the manager", async () => {
  await using lab = await faulty("older-tag");
  const tag = async () => (await lab.call("GET", system)).json["AssetTag"];
  const write = (text: string) => lab.call("PATCH", system, { body: { AssetTag: text } });
  for (const text of ["one", "two", "two"]) await write(text);
  await lab.restart();
  assert.equal(await tag(), "two");
  await lab.restart({ feedReturned: true });
  assert.equal(await tag(), "one");
  for (const text of ["three", "four"]) await write(text);
  await lab.call("POST", "/redfish/v1/Managers/1/Actions/Manager.Reset", { body: {} });
  await until("the tag is an older one", async () => (await tag().catch(() => undefined)) === "three", soon);
});

test("faults add up", async () => {
  await using lab = await faulty("slow", "0.05");
  await writeFault(lab.folder, parseFault("lies"));
  await writeFault(lab.folder, parseFault("unauthorized"));
  assert.equal((await forceOff(lab)).status, 401);
  await clearFaults(lab.folder, "unauthorized");
  assert.equal((await forceOff(lab)).status, 204);
  assert.deepEqual(lab.metal.done, []);
});

test("a spoilt fault file is answered by no one, said in the log, and survived", async () => {
  await using lab = await bench();
  await writeFile(join(lab.folder, "fault.json"), "{");
  await assert.rejects(lab.call("GET", system));
  assert.ok(lab.log.some((sentence) => sentence.includes("faults")));
  await clearFaults(lab.folder);
  assert.equal((await lab.call("GET", system)).status, 200);
});
