import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { judgeWitness } from "../check/witness.ts";
import { bmcEffects, readBmcs } from "./bmc.ts";
import { watchTag } from "./tag-watch.ts";
import { FakePacemaker } from "./testing.ts";
import { sharing } from "../../../lab/bmc/testing-sharing.ts";
import { twoBmcs } from "../../../lab/bmc/testing-two.ts";
import { needsHuman, readWitness, witnessOf } from "./witness.ts";
import { readSaid } from "./witness-said.ts";
import { changeSeen, readSeen } from "./witness-seen.ts";

const look_ms = 5_000;
type Lab = Awaited<ReturnType<typeof twoBmcs>>;
const five = { epoch: 5, owner: "node1" };

const known = ({ filesOf }: Lab, me: "node1" | "node2") =>
  readWitness(filesOf(me).witness, filesOf(me).witnessSeen);
const trusted = async (lab: Lab, me: "node1" | "node2" = "node1") =>
  witnessOf(lab.site, await known(lab, me), await readSaid(lab.filesOf(me).witnessSaid));
const look = (lab: Lab, me: "node1" | "node2" = "node1") => readBmcs(lab.from(me), look_ms);

/** Both BMCs passed their test, and node1 has written their tag. */
async function tagged(): Promise<Lab> {
  const lab = await twoBmcs();
  await lab.tested();
  for (const bmc of ["mine", "theirs"] as const)
    await bmcEffects(lab.from("node1")).raiseTag(bmc, five, look_ms);
  await look(lab);
  return lab;
}

test("a BMC that forgets its tag while the site runs is no witness any more, also when the tag is written anew", async () => {
  await using lab = await tagged();
  assert.equal(await trusted(lab), "on");
  await writeFault(lab.bmcs.node2.folder, parseFault("forgets-tag"));
  await lab.bmcs.node2.restart({ port: lab.bmcs.node2.bmc.port, feedReturned: true });
  assert.equal((await look(lab)).tags.theirs.kind, "blank");
  assert.equal(await trusted(lab), "on", "it may not be up yet");
  await bmcEffects(lab.from("node1")).raiseTag("theirs", five, look_ms);
  assert.deepEqual((await look(lab)).tags.theirs, { kind: "lineage", ...five });
  assert.equal(await trusted(lab), "unproven");
  const why = needsHuman(lab.site, await known(lab, "node1")) ?? "";
  assert.match(
    why,
    /^starting alone needs a human: the BMC of node2 lost its tag.*it was empty.*`duet setup --witness-test`/,
  );
  const [finding] = judgeWitness(lab.site, [{ name: "node1", witness: await known(lab, "node1") }]);
  assert.equal(finding?.mark, "warn");
  assert.match(finding.detail, /BMC of node2 lost its tag/);
});

test("so is one that falls back to an older tag, and one whose writer finds it empty first", async () => {
  await using lab = await tagged();
  const four = `${(await lab.tag("node1")).slice(0, -3)}4:1`;
  await lab.write("node1", four);
  assert.deepEqual((await look(lab)).tags.mine, { kind: "lineage", epoch: 4, owner: "node1" });
  assert.match(needsHuman(lab.site, await known(lab, "node1")) ?? "", /node1 lost its tag.*an older one/);
  await using other = await tagged();
  await other.write("node2", "");
  await bmcEffects(other.from("node1")).raiseTag("theirs", five, look_ms);
  assert.equal(await trusted(other), "unproven");
});

test("a later test ends it, and what was seen before that test says nothing", async () => {
  await using lab = await tagged();
  await lab.write("node2", "");
  await bmcEffects(lab.from("node1")).raiseTag("theirs", five, look_ms);
  assert.equal(await trusted(lab), "unproven");
  await lab.tested(11);
  assert.equal(await trusted(lab), "on");
  // The tag that it lost was never seen since: this one is not lower.
  await bmcEffects(lab.from("node1")).raiseTag("theirs", { epoch: 3, owner: "node1" }, look_ms);
  await look(lab);
  assert.equal(await trusted(lab), "on");
});

test("an empty tag is blamed when it stays empty, and not where it is there again", async () => {
  await using lab = await tagged();
  const tag = await lab.tag("node2");
  const seenAt = lab.filesOf("node1").witnessSeen;
  const longAgo = async () => {
    await changeSeen(seenAt, (all) => {
      assert.ok(all["node2"]?.emptySince !== undefined);
      return {
        ...all,
        node2: { ...all["node2"], emptySince: new Date(Date.now() - 60_000).toISOString() },
      };
    });
  };
  await lab.write("node2", "");
  await look(lab);
  await longAgo();
  await lab.write("node2", tag);
  await look(lab);
  assert.equal((await readSeen(seenAt))["node2"]?.emptySince, undefined);
  assert.equal(await trusted(lab), "on");
  await lab.write("node2", "");
  await look(lab);
  assert.equal(await trusted(lab), "on");
  await longAgo();
  await look(lab);
  assert.equal(await trusted(lab), "unproven");
});

test("nobody is accused for a text of somebody else, a BMC that is silent, a first empty tag, nor without a test", async () => {
  await using lab = await tagged();
  await lab.write("node2", "rack 7");
  await look(lab);
  await writeFault(lab.bmcs.node1.folder, parseFault("server-error"));
  await look(lab);
  assert.equal(await trusted(lab), "on");
  await using fresh = await twoBmcs();
  await fresh.tested();
  await look(fresh);
  assert.equal(await trusted(fresh), "on");
  await using untested = await twoBmcs();
  await bmcEffects(untested.from("node1")).raiseTag("theirs", five, look_ms);
  await untested.write("node2", "");
  await look(untested);
  assert.deepEqual(await known(untested, "node1"), {});
});

test("a tag that another process raises while this one looks is no lost one", async () => {
  await using lab = await tagged();
  const slow = await watchTag(lab.from("node1"), "theirs");
  const read = await lab.tag("node2");
  await bmcEffects(lab.from("node1")).raiseTag("theirs", { epoch: 6, owner: "node1" }, look_ms);
  await slow(read);
  assert.equal(await trusted(lab), "on");
});

test("what several processes note at once is all there, and a tag that is noted is never lowered", async () => {
  await using lab = await tagged();
  const seenAt = lab.filesOf("node1").witnessSeen;
  // A takeover finds one BMC empty and raises it, while others look at it, and at the other BMC.
  const [mine, over, slow] = [
    await watchTag(lab.from("node1"), "mine"),
    await watchTag(lab.from("node1"), "theirs"),
    await watchTag(lab.from("node1"), "theirs"),
  ];
  const tag = await lab.tag("node2");
  const raised = (epoch: number) => tag.replace(/:5:/, `:${epoch}:`);
  await Promise.all([mine(raised(9)), over("", true), slow(raised(8)), over(raised(7))]);
  const { node1, node2 } = await readSeen(seenAt);
  assert.equal(node1?.tag, raised(9));
  assert.deepEqual([node2?.lost?.found, node2?.tag], ["empty", raised(8)]);
  await (await watchTag(lab.from("node1"), "theirs"))(raised(8));
  await slow(raised(7));
  assert.equal((await readSeen(seenAt))["node2"]?.tag, raised(8));
});

test("what was seen before a new test is not noted after it", async () => {
  await using lab = await tagged();
  const slow = await watchTag(lab.from("node1"), "theirs");
  await lab.tested(11);
  await slow("", true);
  assert.equal(await trusted(lab), "on");
  assert.equal((await readSeen(lab.filesOf("node1").witnessSeen))["node2"]?.lost, undefined);
});

test("the peer, who looked when the tag was there again, learns it; of another test than its own it takes nothing", async () => {
  await using lab = await tagged();
  const cluster = new FakePacemaker();
  const share = sharing(lab, cluster);
  await share("node1", "node2");
  assert.match(cluster.values.get("node1 duet-witness") ?? "", /^\{"lost":\{\},"texts":\{\},/);
  await lab.write("node2", "");
  await bmcEffects(lab.from("node1")).raiseTag("theirs", five, look_ms);
  await look(lab, "node2");
  assert.equal(await trusted(lab, "node2"), "on");
  await share("node1", "node2");
  await share("node2", "node1");
  assert.equal(await trusted(lab, "node2"), "unproven");
  assert.match(needsHuman(lab.site, await known(lab, "node2")) ?? "", /BMC of node2 lost its tag/);
  await lab.tested(11);
  await share("node2", "node1");
  assert.equal(await trusted(lab, "node2"), "on");
});
