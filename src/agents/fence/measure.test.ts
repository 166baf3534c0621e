import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { bench, FakeMetal, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { type Passed, wayTo } from "../../redfish/testing.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { Ways } from "../hands/ways.ts";
import { measureCalls, measureOff } from "./measure.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-measure-"));
const metal = new FakeMetal(true);
const lab = await bench({ metal });
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`, { mode: 0o600 });
after(async () => {
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await clearFaults(lab.folder);
  metal.powered = true;
});

const url = `https://127.0.0.1:${lab.bmc.port}`;
const site = twoMachines({ node1: "https://203.0.113.1", node2: url });
const ways = new Ways({ site, me: "node1", folder });
const at = new Date("2026-01-01T00:00:00.000Z");
const codes = (error: unknown) => (error instanceof DuetError ? error.problems.map(({ code }) => code) : []);
const fails = async (work: Promise<unknown>, code: string, said = /./) =>
  await assert.rejects(
    work,
    (error) => codes(error).includes(code) && error instanceof DuetError && said.test(error.message),
  );

test("calls are measured in harmless form: the machine stays on and its tag as it is", async () => {
  await lab.call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag: "duet:abc:7:node1" } });
  const times = await measureCalls(ways, at);
  assert.equal(times.bmc, url);
  assert.equal(times.calls, 15);
  assert.ok(times.call_ms_worst >= times.call_ms_median);
  assert.equal(times.read_at, at.toISOString());
  const { json } = await lab.call("GET", "/redfish/v1/Systems/1");
  assert.deepEqual([json["PowerState"], json["AssetTag"]], ["On", "duet:abc:7:node1"]);
});

test("a BMC that refuses the password, or fails, proves nothing", async () => {
  await writeFault(lab.folder, parseFault("unauthorized"));
  await fails(measureCalls(ways, at), "DUET-E-REDFISH-LOGIN");
  await writeFault(lab.folder, parseFault("server-error"));
  await fails(measureCalls(ways, at), "DUET-E-REDFISH-STATUS");
});

test("a real Off is measured until Off is read, and one that does not happen is told", async () => {
  assert.ok((await measureOff(ways)) >= 0);
  assert.equal(metal.powered, false);
  metal.powered = true;
  await writeFault(lab.folder, parseFault("accepted-no-effect"));
  const impatient = new Ways({
    site: { ...site, timeouts: { ...site.timeouts, fence_ms: 300 } },
    me: "node1",
    folder,
  });
  await fails(measureOff(impatient), "DUET-E-FENCE-TEST", /node2 was not switched off: .* it is still on/);
  assert.equal(metal.powered, true);
});

test("an Off that was not answered may have been done, and a power that can't be read says nothing", async () => {
  const unanswered = async ({ method, ask }: Passed) => {
    const answer = await ask();
    return method === "POST" ? undefined : answer;
  };
  let isDeaf = false;
  const blind = async ({ method, ask }: Passed) => {
    if (!isDeaf) isDeaf = method === "POST";
    else return { status: 503, headers: {}, body: "" };
    return await ask();
  };
  for (const [answer, said] of [
    [unanswered, /nobody knows whether node2 was switched off: the command went out/],
    [blind, /nobody knows whether node2 was switched off: .* its power can't be read: .* status 503/],
  ] as const) {
    await using way = await wayTo(lab.bmc.port, { tls: await testTls() }, answer);
    const there = twoMachines({ node1: "https://203.0.113.1", node2: `https://127.0.0.1:${way.port}` });
    const timeouts = { ...there.timeouts, fence_ms: 1_000 };
    const far = new Ways({ site: { ...there, timeouts }, me: "node1", folder });
    await fails(measureOff(far), "DUET-E-FENCE-TEST", said);
    assert.equal(metal.powered, false);
    metal.powered = true;
  }
});
