import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { fakeApi } from "../../src/agents/kubernetes/testing.ts";
import type { Entry } from "./history.ts";
import { Probe } from "./probe.ts";

/** What became of one write and one read there. */
async function ends(url: string, deadline_ms?: number) {
  await using api = await fakeApi();
  const entries: Entry[] = [];
  const server = { ...api.as("client"), url: url === "" ? api.url : url, machine: "node1" };
  await new Probe(server, "stories", (entry) => entries.push(entry), deadline_ms).once();
  const asked = entries.flatMap((entry) => (entry.kind === "ask" ? [`${entry.machine} ${entry.what}`] : []));
  assert.deepEqual(asked.toSorted(), ["node1 read", "node1 write"]);
  const told = entries.filter((entry) => entry.kind === "told");
  assert.equal(new Set(told.map(({ id }) => id)).size, 2);
  return { told, calls: api.asked.toSorted() };
}

test("an answer is an end, whatever it says", async () => {
  const { told, calls } = await ends("");
  assert.deepEqual(calls, [
    "client GET /api/v1/namespaces/stories",
    "client POST /api/v1/namespaces/stories/configmaps",
  ]);
  assert.deepEqual(
    told.map(({ ended, status }) => [ended, status]),
    [
      [true, 404],
      [true, 404],
    ],
  );
});

test("so is a refused connection; silence is none", async () => {
  // It reads what comes, or it would not see that nobody is there any more.
  const server = createServer((socket) => socket.on("error", () => socket.destroy()).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const silent = await ends(url, 300);
  assert.deepEqual(
    silent.told.map(({ ended, said }) => `${ended} ${said}`),
    Array(2).fill("false no complete answer within 300 ms"),
  );
  server.close();
  await once(server, "close");
  const refused = await ends(url);
  assert.deepEqual(
    refused.told.map(({ ended, said }) => `${ended} ${said}`),
    Array(2).fill("true no connection: ECONNREFUSED"),
  );
});
