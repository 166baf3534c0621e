import assert from "node:assert/strict";
import { test } from "node:test";
import { lackedByLab } from "../lab/scenario-labs.ts";
import { encode } from "../src/record/encode.ts";
import { parseRecord } from "../src/record/read.ts";
import { replay } from "../src/record/replay.ts";
import { failovers } from "../src/record/failover.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import { formatScenario } from "../src/scenario/format.ts";
import { Progress } from "../src/machine/progress.ts";
import { recordedFailover } from "../src/cli/testing-records.ts";
import { ofLastFailover, stories } from "./recordings.ts";

test("the lab can play the stories that are recorded", () => {
  assert.deepEqual(Object.keys(stories), ["cut", "hang", "wire"]);
  for (const [name, text] of Object.entries(stories)) {
    const { scenario, problems } = parseScenario(text, name);
    assert.deepEqual(problems, []);
    assert.ok(scenario !== undefined);
    assert.equal(formatScenario(text), text);
    assert.deepEqual(lackedByLab(scenario, new Progress()), []);
  }
});

const eventsOf = (text: string): readonly string[] =>
  parseRecord(text, "record").entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));

for (const how of ["cut", "hang", "wire"] as const)
  test(`of a record from its first line on (${how}) the last failover is kept, whole, and nothing from before`, async () => {
    const { records, lost_ms } = await recordedFailover(3, 1, how, true);
    const [whole, other] = [records.text(0), records.text(1)];
    // Corosync's journal, which the simulator has not: what it said when this machine booted, and of the loss, told at the end.
    const last = parseRecord(whole, "record").entries.at(-1);
    assert.ok(last !== undefined);
    const lostAgo_ms = (records.machines[0].truth_ms.at(-1) ?? 0) - lost_ms;
    const said = [last.mono_ms - 1_000, lostAgo_ms - 2_000].map((ago_ms) =>
      encode(last, { kind: "event", event: "membership", detail: { ring: "1.1", peer: false, ago_ms } }),
    );
    for (const [text, loss_ms] of [
      [whole, 0],
      [whole + said.join(""), lost_ms],
    ] as const) {
      const [survivor, gone] = [ofLastFailover(text, "survivor"), ofLastFailover(other, "gone")];
      for (const [kept, of] of [
        [survivor, text],
        [gone, other],
      ] as const) {
        assert.ok(kept.split("\n").every((line) => of.split("\n").includes(line)));
        assert.ok(kept.length < of.length);
      }
      const [first] = survivor.split("\n").slice(1);
      const at_ms = records.machines[0].truth_ms[records.machines[0].lines.indexOf(`${first}\n`)] ?? 0;
      assert.ok(at_ms >= loss_ms, `${first}`);
      assert.equal(eventsOf(survivor).filter((event) => event === "takeover begins").length, 1);
      const entries = [survivor, gone].flatMap((kept) => parseRecord(kept, "record").entries);
      const [failover] = failovers(entries, 1);
      assert.deepEqual([failover?.survivor, failover?.gone], ["node1", "node2"]);
      assert.deepEqual(replay(entries).differences, []);
    }
    assert.equal(
      new Set(parseRecord(ofLastFailover(other, "gone"), "record").entries.map(({ boot }) => boot)).size,
      1,
    );
  });
