import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, beforeEach, test } from "node:test";
import * as v from "valibot";
import { fakeApi } from "../kubernetes/testing.ts";
import { markUnready } from "./unready.ts";

const fake = await fakeApi();
after(() => fake[Symbol.asyncDispose]());
const api = fake.as("system:node:node1", "system:nodes");
beforeEach(() => {
  fake.objects.clear();
  fake.asked.length = 0;
});

/** Of a busy host: what is too slow is told of below. */
const ample_ms = 60_000;
const statusOf = (name: string): string => `/api/v1/namespaces/shop/pods/${name}/status`;
const pod = (name: string, ...conditions: readonly [type: string, status: string][]) => ({
  metadata: { namespace: "shop", name, uid: `uid-${name}` },
  status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
});
const ready = (name: string) => pod(name, ["PodScheduled", "True"], ["Ready", "True"]);
/** What the API has on this machine; of `gone` it has nothing any more when it is asked. */
function have(pods: readonly ReturnType<typeof pod>[], gone?: string): void {
  fake.objects.set("/api/v1/pods", { items: pods });
  for (const { metadata } of pods)
    if (metadata.name !== gone) fake.objects.set(statusOf(metadata.name), { metadata });
}
const changed = (): number => fake.asked.filter((each) => each.includes(" PATCH ")).length;

test("the machine's own pods that are ready are marked, by their condition alone and by their uid", async () => {
  have([
    ready("web"),
    pod("job", ["Ready", "False"]),
    pod("new"),
    { ...pod("bare"), status: { conditions: [] } },
  ]);
  assert.equal(await markUnready(api, "node1", ample_ms), "1 of 1 marked not ready");
  assert.deepEqual(fake.asked, [
    "system:node:node1 GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnode1&resourceVersion=0",
    `system:node:node1 PATCH ${statusOf("web")}`,
  ]);
  const condition = { type: "Ready", status: "False", reason: "MachineGoes" };
  const sent = v.parse(
    v.looseObject({ status: v.object({ conditions: v.tuple([v.record(v.string(), v.string())]) }) }),
    fake.objects.get(statusOf("web")),
  );
  const [{ message, lastTransitionTime, ...rest }] = sent.status.conditions;
  assert.deepEqual({ ...sent, status: rest }, { metadata: { uid: "uid-web" }, status: condition });
  assert.ok(message !== undefined && Math.abs(Date.parse(lastTransitionTime ?? "") - Date.now()) < 60_000);
});

test("more pods than are marked at once, and one that the API has no more", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `web-${index}`);
  have(names.map(ready), "web-7");
  assert.equal(
    await markUnready(api, "node1", ample_ms),
    "11 of 12 marked not ready (status 404: no such patch)",
  );
  assert.equal(changed(), 12);
});

test("an API that refuses, or that has no pods here, has nothing marked", async () => {
  have([]);
  assert.equal(await markUnready(api, "node1", ample_ms), "0 of 0 marked not ready");
  fake.refusals = 1;
  assert.equal(
    await markUnready(api, "node1", ample_ms),
    "none marked not ready: status 503: etcdserver: no leader",
  );
  assert.match(await markUnready(undefined, "node1", ample_ms), /^none marked not ready: .* credentials/);
  assert.equal(changed(), 0);
});

test("one that does not answer is given up when the time for all of it is over", async () => {
  const deaf = createServer();
  deaf.listen(0, "127.0.0.1");
  await once(deaf, "listening");
  const address = deaf.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const said = await markUnready({ ...api, url: `https://127.0.0.1:${port}` }, "node1", 50);
  assert.match(said, /^none marked not ready: no complete answer within \d+ ms/);
  deaf.close();
});
