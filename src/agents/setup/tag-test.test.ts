import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { bench, call, FakeMetal, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { sleep } from "../../machine/clock.ts";
import { RedfishClient } from "../../redfish/client.ts";
import { fakeService, serviceAt } from "../../redfish/testing.ts";
import { tryTag, type TrialTimes } from "./tag-test.ts";

const kit = { tls: await testTls(), login: { username, password } };
const text = "duet:0123456789ab:test:abcdef0";
const times: TrialTimes = { again_ms: 20, away_ms: 1_500, back_ms: 5_000, settle_ms: 300 };
const system = "/redfish/v1/Systems/1";

const tryAt = (port: number, changes: Partial<TrialTimes> = {}) => {
  const service = serviceAt(kit, port, { deadline_ms: 1_000 });
  return tryTag({
    client: async () => new RedfishClient(service),
    where: service.url,
    text,
    say: () => undefined,
    times: { ...times, ...changes },
  });
};

/** A BMC of the lab that is away so long after its reset. */
const lab = (away_ms = 300) =>
  bench({
    metal: new FakeMetal(true),
    times: { off_ms: 0, on_ms: 0, graceful_ms: 100, manager_reset_ms: away_ms },
  });

test("a BMC that keeps the text over its reset is found so", async () => {
  await using bmc = await lab();
  assert.deepEqual(await tryAt(bmc.bmc.port), { result: "kept", said: "keeps its tag over a reset" });
  assert.equal((await bmc.call("GET", system)).json["AssetTag"], text);
});

test("a BMC that forgets it is found so", async () => {
  await using bmc = await lab();
  await writeFault(bmc.folder, parseFault("forgets-tag"));
  assert.equal((await tryAt(bmc.bmc.port)).result, "forgot");
});

test("one that forgets is found so also where an agent has written the site's tag by then", async () => {
  await using bmc = await lab();
  await writeFault(bmc.folder, parseFault("forgets-tag"));
  const { port } = bmc.bmc;
  const trial = tryAt(port, { settle_ms: 60_000 });
  const agent = async () => {
    for (let away = false; ; await sleep(5)) {
      const seen = await call(port, "GET", system).catch(() => undefined);
      away ||= seen === undefined;
      if (!away || seen?.json["AssetTag"] !== "") continue;
      const body = { AssetTag: "duet:0123456789ab:1:1" };
      if ((await call(port, "PATCH", system, { body })).status === 200) return;
    }
  };
  const [found] = await Promise.all([trial, agent()]);
  assert.equal(found.result, "forgot");
});

for (const [fault, result] of [
  ["accepted-no-effect", "accepted"],
  ["lies", "staged"],
] as const)
  test(`a BMC with the fault ${fault} is not restarted, and told as ${result}`, async () => {
    await using bmc = await lab();
    await writeFault(bmc.folder, parseFault(fault));
    assert.equal((await tryAt(bmc.bmc.port)).result, result);
    assert.equal((await bmc.call("GET", system)).status, 200);
  });

test("one that does not come back is told as lost", async () => {
  await using bmc = await lab(60_000);
  const found = await tryAt(bmc.bmc.port, { back_ms: 1_000 });
  assert.equal(found.result, "lost");
  assert.match(found.said, /did not come back within 1 s/);
});

test("one that can't be asked at all says nothing about its tag", async () => {
  await using bmc = await lab();
  await writeFault(bmc.folder, parseFault("hang-after-connect"));
  await assert.rejects(
    tryAt(bmc.bmc.port),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-REDFISH-DEADLINE",
  );
});

/** A BMC that answers as it is told here. */
async function fake(answers: {
  readonly tag?: boolean;
  readonly patch?: number;
  readonly reset?: number | "none";
}) {
  const { tag = true, patch = 200, reset = 204 } = answers;
  let held: string | null = null;
  return await fakeService(kit, ({ method, path }) => {
    if (method === "PATCH") {
      if (patch < 300) held = text;
      return { status: patch, body: {} };
    }
    if (method === "POST") return { status: typeof reset === "number" ? reset : 404, body: {} };
    if (path === "/redfish/v1/") return { body: { Systems: { "@odata.id": "/redfish/v1/Systems" } } };
    if (path === "/redfish/v1/Systems") return { body: { Members: [{ "@odata.id": system }] } };
    if (path === system)
      return {
        body: {
          PowerState: "On",
          ...(tag ? { AssetTag: held } : {}),
          Links: { ManagedBy: [{ "@odata.id": "/redfish/v1/Managers/1" }] },
        },
      };
    return {
      body: reset === "none" ? {} : { Actions: { "#Manager.Reset": { target: "/redfish/v1/reset" } } },
    };
  });
}

test("a BMC without an AssetTag, and one that takes none, are told as such", async () => {
  await using without = await fake({ tag: false });
  assert.equal((await tryAt(without.port)).result, "none");
  for (const status of [400, 403, 405]) {
    await using refusing = await fake({ patch: status });
    const found = await tryAt(refusing.port);
    assert.equal(found.result, "refused");
    assert.match(found.said, new RegExp(`^takes no tag: .*${status}`));
  }
});

test("one whose Manager has no reset, refuses it, or takes it and goes on, can't be tested", async () => {
  for (const [reset, why] of [
    ["none", /offers no reset/],
    [403, /status 403/],
    [204, /was not seen to restart/],
  ] as const) {
    await using bmc = await fake({ reset });
    const found = await tryAt(bmc.port, { away_ms: 200 });
    assert.equal(found.result, "untestable");
    assert.match(found.said, why);
  }
});
