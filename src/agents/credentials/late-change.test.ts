import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bench, FakeMetal, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { Secret } from "../../base/secret.ts";
import { sleep } from "../../machine/clock.ts";
import type { HttpsAnswer } from "../../machine/https.ts";
import { loadLogin } from "../../machine/logins.ts";
import { RedfishClient } from "../../redfish/client.ts";
import { serviceAt, wayTo } from "../../redfish/testing.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { careForCredentials } from "./care.ts";
import { rotate } from "./rotate.ts";
import { lineIn, Pair } from "./testing.ts";

const tls = await testTls();
const base = await mkdtemp(join(tmpdir(), "duet-late-change-"));
after(() => rm(base, { recursive: true }));

/** What is said at once of a change that is only done later; undefined: nothing, and the time runs out. */
const answers: Readonly<Record<string, HttpsAnswer | undefined>> = {
  nothing: undefined,
  "an error": { status: 503, headers: {}, body: "" },
  "what nobody understands": { status: 200, headers: {}, body: "<html>" },
};

for (const [said, answer] of Object.entries(answers))
  test(`a BMC that answers a change with ${said}, and does it later, is still reached from both machines`, async () => {
    await using lab = await bench({ metal: new FakeMetal(true) });
    let change: (() => Promise<HttpsAnswer>) | undefined;
    await using way = await wayTo(lab.bmc.port, { tls }, async ({ method, ask }) => {
      if (method !== "PATCH") return await ask();
      change = ask;
      return answer;
    });
    const site = twoMachines({ node1: "https://127.0.0.1:9", node2: `https://127.0.0.1:${way.port}` });
    const pair = new Pair(join(base, said), site);
    const [node1, node2] = [
      await pair.make("node1", `${username}:${password}\n`, tls.cert),
      await pair.make("node2", `${username}:${password}\n`, tls.cert),
    ];
    const over = new AbortController();
    const caring = (async () => {
      for (; !over.signal.aborted; await sleep(20)) await careForCredentials(node2);
    })();
    const credentials = { username, password: new Secret("later than said 1") };
    try {
      await assert.rejects(
        rotate(node1, { machine: "node2", credentials, change: true }),
        (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-CREDENTIALS-UNPROVEN",
      );
    } finally {
      over.abort();
      await caring;
    }
    const powerFrom = async ({ folder, run }: typeof node1) => {
      const bmc = site.machines[1]?.bmc ?? assert.fail();
      const login = await loadLogin(bmc.credentials, folder, run);
      const service = serviceAt({ tls, login: { username, password: "" } }, lab.bmc.port);
      return await new RedfishClient({ ...service, ...login }).powerState();
    };
    for (const each of [node1, node2]) assert.deepEqual(await powerFrom(each), { ok: true, value: "On" });
    assert.ok(((await change?.())?.status ?? 0) < 300);
    for (const each of [node1, node2]) assert.deepEqual(await powerFrom(each), { ok: true, value: "On" });
    for (const each of [node2, node1]) await careForCredentials(each);
    for (const { folder } of [node1, node2])
      assert.equal(await lineIn(folder), `${username}:later than said 1\n`);
  });
