import assert from "node:assert/strict";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { makeCertificates, TlsEtcd } from "../../../lab/etcd36/testing-tls.ts";
import { DuetError, exit } from "../../base/problem.ts";
import { until } from "../../machine/clock.ts";
import * as etcd from "../../machine/etcd/client.ts";
import { memberEffects, type Places } from "../hands/members.ts";
import { type Errand, type Pass, type Seat, takePass } from "./pass.ts";

const call_ms = 5_000;
const seen_ms = { deadline_ms: 30_000, every_ms: 50 };

const places = (self: TlsEtcd, peer: TlsEtcd): Places => ({
  self: { endpoint: async () => self.endpoint, peerUrls: self.peerUrls },
  inside: { endpoint: async () => self.endpoint, peerUrls: self.peerUrls },
  peer: { endpoint: async () => peer.endpoint, peerUrls: peer.peerUrls },
});
const reboot = (machine: string, force = false): Errand => ({ words: `reboot ${machine}`, machine, force });
const maintenance: Errand = { words: "maintenance on", machine: null, force: false };

const refusedWith = (code: string, what: RegExp) => (error: unknown) =>
  error instanceof DuetError &&
  error.status === exit.notHere &&
  error.problems[0]?.code === code &&
  what.test(error.problems[0].what);
const oneAtATime = (words: string) =>
  refusedWith("DUET-E-PLANNED-ONE-AT-A-TIME", new RegExp(`\`duet ${words}\` at the same time`));

for (const version of await versions())
  test(`etcd ${version.version}: one machine goes at a time, whoever asks where`, async () => {
    await using folder = await scratch();
    const files = await makeCertificates(folder.path);
    const a = await TlsEtcd.create(version, "a", folder.path, files);
    const b = await TlsEtcd.create(version, "b", folder.path, files);
    const [ofA, ofB] = [
      { me: "node1", places: places(a, b) },
      { me: "node2", places: places(b, a) },
    ];
    const members = memberEffects(ofB.places);
    try {
      a.startFirst();
      await until("the first serves", async () => (await members.list("peer", call_ms)).ok, seen_ms);
      assert.ok((await members.addLearner(call_ms)).ok);
      b.startJoining(a);
      await until("1+1", async () => (await members.promote(call_ms)).ok, seen_ms);
      await until("both serve", async () => (await members.list("self", call_ms)).ok, seen_ms);

      await bothAtOnce(
        () => takePass(ofA, reboot("node1")),
        () => takePass(ofB, reboot("node2")),
      );
      // Both seats on the same machine, each for another: a wish, and its own.
      await bothAtOnce(
        () => takePass(ofA, reboot("node2")),
        () => takePass(ofA, reboot("node1")),
      );

      await leftBehind(a, ofA, ofB);

      const first = await takePass(ofA, reboot("node2"));
      await takePass(ofB, reboot("node2"));
      await first.giveBack();
      await assert.rejects(
        takePass(ofA, reboot("node1")),
        oneAtATime("reboot node2"),
        "what the second has is not the first one's to give back",
      );
      await assert.rejects(takePass(ofA, maintenance), oneAtATime("reboot node2"));

      const id = await idOf(a, b);
      await until("it has left", async () => (await etcd.remove(a.endpoint, id, call_ms)).ok, seen_ms);
      const on = await takePass(ofA, maintenance);
      await assert.rejects(takePass(ofA, reboot("node1")), oneAtATime("maintenance on"));
      await on.giveBack();
      await takePass(ofB, { ...reboot("node1"), words: "standby node1" });
      await takePass(ofA, reboot("node2", true));
    } finally {
      await Promise.all([a.process.kill(), b.process.kill()]);
    }
    await assert.rejects(
      takePass(ofA, reboot("node1")),
      refusedWith("DUET-E-PLANNED-DEGRADED", /^etcd takes no write, so another machine could go/),
    );
    await takePass(ofA, reboot("node1", true));
    await takePass(ofA, maintenance);
  });

/** Of a command that died: for how long it is in the way. */
async function leftBehind(at: TlsEtcd, ofA: Seat, ofB: Seat): Promise<void> {
  const look_s = 30;
  const died = await takePass(ofA, reboot("node1"));
  assert.ok((await leftFor_s(at)) <= look_s, "nobody was asked to go: the lease is short");
  await died.renew();
  assert.ok((await leftFor_s(at)) <= look_s);
  await died.hold();
  assert.ok((await leftFor_s(at)) > look_s, "it was asked to go, and goes also without the command");
  await assert.rejects(takePass(ofB, maintenance), oneAtATime("reboot node1"));
  // On the machine that was to go: it has booted since, so it has been away.
  await assert.rejects(takePass(ofA, maintenance), oneAtATime("reboot node1"));
  const on = await takePass({ ...ofA, boot: "another" }, maintenance);
  await assert.rejects(
    died.hold(),
    refusedWith("DUET-E-PLANNED-ONE-AT-A-TIME", /took too long, and somebody else may go now/),
    "what somebody else has by now is not prolonged",
  );
  await died.renew();
  await assert.rejects(takePass(ofB, reboot("node2")), oneAtATime("maintenance on"));
  await on.giveBack();
  const heard = await takePass(ofA, reboot("node2"));
  // The machine that was wished to reboot takes it itself: it goes, whatever becomes of who asked.
  await (await takePass(ofB, reboot("node2"))).hold();
  await heard.giveBack();
  await assert.rejects(takePass(ofA, maintenance), oneAtATime("reboot node2"));
  await (await takePass(ofA, reboot("node2"))).giveBack();
}

/** What is left of the lease of what stands there. */
async function leftFor_s({ endpoint: { url, tls } }: TlsEtcd): Promise<number> {
  const ask = async (path: string, body: object): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const signal = AbortSignal.timeout(call_ms);
    const sent = request(`${url}/v3/${path}`, { method: "POST", ...tls, signal }, (answer) => {
      text(answer).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
    return await promise;
  };
  const field = (name: string, answer: string) => new RegExp(`"${name}":"([0-9]+)"`).exec(answer)?.[1];
  const lease = field("lease", await ask("kv/range", { key: Buffer.from("duet/pass").toString("base64") }));
  return Number(field("TTL", await ask("lease/timetolive", { ID: lease })));
}

async function idOf(at: TlsEtcd, member: TlsEtcd): Promise<string> {
  const members = await etcd.memberList(at.endpoint, call_ms);
  assert.ok(members.ok);
  return members.value.find(({ peerUrls }) => peerUrls.includes(member.peerUrl))?.id ?? "none";
}

async function bothAtOnce(one: () => Promise<Pass>, other: () => Promise<Pass>): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const ends = await Promise.allSettled([one(), other()]);
    const lost = ends.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    assert.equal(lost.length, 1, "exactly one may go");
    assert.ok(oneAtATime("reboot node.")(lost[0]), String(lost[0]));
    for (const each of ends) if (each.status === "fulfilled") await each.value.giveBack();
  }
}
