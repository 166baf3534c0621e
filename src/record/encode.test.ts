import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "../base/secret.ts";
import { choiceNow, sidesOf } from "../decide/choice.ts";
import { decide } from "../decide/decide.ts";
import { empty, type Facts } from "../decide/facts.ts";
import {
  all_lineages,
  holdings,
  older,
  ordinary,
  peersForTakeover,
  tagPairs,
  wordsOf,
} from "../decide/model/product.ts";
import { tableNames } from "../decide/rules.ts";
import { decode } from "./decode.ts";
import { encode } from "./encode.ts";
import type { Body } from "./entry.ts";
import { stampAt } from "./testing.ts";

const plain: Facts = { ...ordinary, self: empty, peer: { seen: "never" } };

function throughFile(body: Body): unknown {
  const read = decode(encode(stampAt(5), body).trimEnd());
  assert.ok(read.ok, read.ok ? "" : read.why);
  return read.entry;
}

/** Some of all that the rules can tell apart; the strides share no factor with the lists' lengths. */
function* someFacts(): Generator<Facts> {
  const [disks, peers] = [holdings(all_lineages), peersForTakeover()];
  for (let at = 0; at < 400; at++) {
    const self = disks[(at * 101) % disks.length];
    const peer = peers[(at * 103) % peers.length];
    const tags = tagPairs[at % tagPairs.length];
    assert.ok(self !== undefined && peer !== undefined && tags !== undefined);
    const words = wordsOf(self, peer);
    const word = words[at % words.length];
    assert.ok(word !== undefined);
    const etcd = at % 3 === 0 ? older : ordinary.etcd;
    yield { ...ordinary, self, peer, tags, word, etcd, proof: at % 2 === 0 ? "off" : "none" };
  }
}

test("facts come back from a file as they went in, and decide the same", () => {
  const rules = new Set<string>();
  for (const facts of someFacts())
    for (const question of tableNames) {
      const { decision, rule, path, sentence } = decide(question, facts);
      const body = { kind: "decision", question, rule, path, decision, sentence, facts } as const;
      assert.deepEqual(throughFile(body), { ...stampAt(5), ...body });
      rules.add(rule);
    }
  assert.ok(rules.size > 30, `${rules.size} rules`);
});

test("a choice of an older duet, which does not say between what, is read and counts for nothing", () => {
  const facts: Facts = { ...plain, self: { ...empty, surrendered: 6 } };
  const { decision, rule, path, sentence } = decide("start", facts);
  const body = { kind: "decision", question: "start", rule, path, decision, sentence, facts } as const;
  const old = encode(stampAt(5), body).replace('"choose":null', '"choose":"self"');
  const read = decode(old.trimEnd());
  assert.ok(read.ok && read.entry.kind === "decision");
  assert.equal(read.entry.facts.word.choose?.of, "self");
  assert.equal(decide("start", read.entry.facts).rule, rule);
});

test("of a choice in a record of before its tags were kept those of that moment were shown: it is decided as it was", () => {
  const given = { ...empty, data: true, standing: "voter", full: true, surrendered: 6 } as const;
  const self = { ...given, lineage: { epoch: 5, owner: "a" } };
  const claim = { kind: "lineage", epoch: 6, owner: "b" } as const;
  const peer = {
    seen: "now",
    facts: self,
    serving: false,
    running: false,
    stuck: false,
    leaving: false,
  } as const;
  const bare: Facts = { ...plain, self, peer, tags: { mine: claim, theirs: claim } };
  const facts = { ...bare, word: { ...bare.word, choose: choiceNow("self", sidesOf(bare)) } };
  const { decision, rule, path, sentence } = decide("start", facts);
  const body = { kind: "decision", question: "start", rule, path, decision, sentence, facts } as const;
  const old = encode(stampAt(5), body).replace(/,"tags":\[[^\]]*\]/, "");
  assert.notEqual(old, encode(stampAt(5), body));
  const read = decode(old.trimEnd());
  assert.ok(read.ok && read.entry.kind === "decision");
  assert.deepEqual([rule, decide("start", read.entry.facts).rule], ["R-ACCEPTED-LOSS", "R-ACCEPTED-LOSS"]);
});

test("every kind of entry comes back as it went in", () => {
  const bodies: readonly Body[] = [
    { kind: "again", question: "start", rule: "R-X", count: 3, for_ms: 30_000 },
    { kind: "step", step: "start etcd", edge: "begin" },
    { kind: "step", step: "start etcd", edge: "end", took_ms: 12.5, outcome: "ok" },
    { kind: "event", event: "peer lost", detail: { ring: "1.4", ago_ms: 20, known: true } },
  ];
  for (const body of bodies) assert.deepEqual(throughFile(body), { ...stampAt(5), ...body });
});

test("what is not a fact does not get in: no secret, no field that nobody named", () => {
  const password = "hunter2$`\"'";
  const smuggled = { password, secret: new Secret(password) };
  const facts = {
    ...plain,
    ...smuggled,
    self: { ...plain.self, ...smuggled },
    peer: {
      seen: "now",
      facts: { ...empty, ...smuggled },
      serving: true,
      running: true,
      stuck: false,
      leaving: false,
      ...smuggled,
    },
    tags: {
      mine: { kind: "blank", ...smuggled },
      theirs: { kind: "lineage", epoch: 1, owner: "a", ...smuggled },
    },
    word: { ...plain.word, ...smuggled },
    etcd: { ...plain.etcd, ...smuggled },
  } as const;
  const { decision, rule, path, sentence } = decide("start", facts);
  const decided = { ...decision, ...smuggled };
  const detail = { who: "root" };
  Reflect.set(detail, "nested", { password });
  const lines = [
    encode(stampAt(1), {
      kind: "decision",
      question: "start",
      rule,
      path,
      sentence,
      facts,
      decision: decided,
    }),
    encode(stampAt(1), { kind: "event", event: "admin", detail }),
    encode(stampAt(1), {
      kind: "event",
      event: "admin",
      detail: { said: `https://admin:${password}@10.0.0.1/redfish` },
    }),
    encode({ ...stampAt(1), ...smuggled }, { kind: "step", step: "x", edge: "begin" }),
  ];
  for (const line of lines) assert.doesNotMatch(line, /hunter2/);
  assert.match(lines[2] ?? "", /https:\/\/\*\*\*@10\.0\.0\.1\/redfish/);
});

test("what is written is bounded, and is one line whatever is in it", () => {
  const said = `two\nlines ${"x".repeat(100_000)}`;
  const line = encode(stampAt(1), { kind: "event", event: "fence failed", detail: { said } });
  assert.ok(line.length < 3_000);
  assert.equal(line.indexOf("\n"), line.length - 1);
});

test("a line with a field that is missing, unknown or of another type is not read", () => {
  const line = encode(stampAt(1), { kind: "step", step: "x", edge: "begin" }).trimEnd();
  for (const wrong of [
    line.replace('"pid":1,', ""),
    line.replace('"pid":1', '"pid":"1"'),
    line.replace('"kind"', '"more":1,"kind"'),
    line.replace('"step","step"', '"stride","step"'),
    "null",
    "7",
  ]) {
    assert.notEqual(wrong, line);
    const read = decode(wrong);
    assert.ok(!read.ok && !read.cut, wrong);
  }
  const cut = decode(line.slice(0, -3));
  assert.ok(!cut.ok && cut.cut);
});
