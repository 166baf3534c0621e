import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccepted } from "./accepted.ts";
import { choiceNow, sidesOf } from "./choice.ts";
import { decide, judge, supposeOff } from "./decide.ts";
import { type Accepted, empty, type Facts, no_word, type Word } from "./facts.ts";
import { newestClaim } from "./lineage.ts";
import { everyTakeover, holdings, me, peerName, peersForTakeover } from "./model/product.ts";
import { choosing, here, lineage, pair, said, serving, voter } from "./testing-pair.ts";

test("an accepted loss begins a new million of epochs, above all that the peer can have reached", () => {
  const lone: Facts = { ...pair, peer: { seen: "never" }, etcd: { ...serving, running: false } };
  const accept = (epoch: number, accepted: number | "unknown") =>
    decide("start", {
      ...lone,
      tags: {
        mine: { kind: "lineage", epoch, owner: peerName },
        theirs: { kind: "lineage", epoch: 5, owner: me },
      },
      word: { peerDown: true, accept: accepted, choose: undefined },
    }).decision;
  assert.deepEqual(accept(7, 7), { do: "take-over", epoch: 1_000_000 });
  assert.deepEqual(accept(7, "unknown"), { do: "needs-human" }, "it is known: both tags can be read");
  // The even millions are the other machine's.
  assert.deepEqual(accept(1_000_000, 1_000_000), { do: "take-over", epoch: 3_000_000 });
  assert.deepEqual(accept(7, 6), { do: "needs-human" });
  const hidden = { kind: "lineage", epoch: 1_000_000, owner: me } as const;
  const again = decide("start", { ...lone, tags: { mine: hidden, theirs: hidden }, peerPower: "off" });
  assert.equal(again.rule, "R-NEWER-TAG", "its own tag of that loss hides what the peer holds");
});

test("a peer that lost its disk can't deny a tag, nor stand in for tags that can't be read", () => {
  const blank: Facts = { ...pair, peer: here({ ...empty, surrendered: 6 }) };
  assert.equal(said("takeover", blank), "R-TAKE-OVER take-over");
  const unread = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;
  assert.equal(said("takeover", { ...blank, tags: unread }), "R-TAGS-UNREAD needs-human");
  const claim = { ...blank.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  assert.equal(said("takeover", { ...blank, tags: claim }), "R-NEWER-TAG needs-human");
});

test("what a person is told to type is a command that takes it: a peer that is here is not down", () => {
  const unread = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;
  const claim = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const blank: Facts = { ...pair, peer: here({ ...empty, surrendered: 6 }) };
  for (const [tags, accepted] of [
    [unread, "unknown"],
    [claim, "6"],
  ] as const) {
    const { sentence } = decide("takeover", { ...blank, tags });
    assert.ok(sentence.includes(`(\`duet choose-data ${me}\`)`), sentence);
    const chosen = choosing({ ...blank, tags });
    assert.equal(said("takeover", chosen).split(" ")[1], "take-over");
    const gone = decide("takeover", { ...blank, tags, peer: { seen: "never" } });
    assert.ok(
      gone.sentence.includes(`(\`duet confirm-peer-down --accept-data-loss ${accepted}\`)`),
      gone.sentence,
    );
  }
});

const unread = { kind: "unreadable" } as const;
const newer = { kind: "lineage", epoch: 6, owner: peerName } as const;
const byWord = (accept: Accepted | undefined) => ({ ...no_word, peerDown: true, accept }) as const;

test("one tag that names a newer epoch is enough: `unknown` names none, whatever the other BMC or the trust in both", () => {
  const alone: Facts = { ...pair, peer: { seen: "never" }, proof: "off" };
  const heard: Facts = {
    ...pair,
    peer: { seen: "before", facts: { ...voter, lineage: { epoch: 6, owner: peerName } } },
  };
  for (const facts of [
    { ...alone, tags: { mine: newer, theirs: unread } },
    { ...alone, tags: { mine: unread, theirs: newer } },
    { ...alone, tags: { mine: newer, theirs: newer }, witness: "unproven" },
    { ...heard, tags: { mine: unread, theirs: unread } },
  ] as const) {
    assert.match(said("takeover", { ...facts, word: byWord("unknown") }), /^R-NEWER-(TAG|PEER) needs-human$/);
    // Nor does the name of what is known stand for what is not.
    assert.match(said("takeover", { ...facts, word: byWord(6) }), /^R-(TAGS|WORD)-.* needs-human$/);
    assert.match(said("takeover", { ...facts, word: byWord("5,unknown") }), /needs-human$/);
    assert.match(said("takeover", { ...facts, word: byWord("6,unknown") }), /^R-ACCEPTED-LOSS take-over$/);
  }
});

/** What a person types who believes the sentence. Undefined: it names no command of these. */
function typed(sentence: string, facts: Facts): Word | undefined {
  const [command, choice, loss] =
    /`duet (confirm-peer-down|choose-data a)(?: --accept-data-loss (\S+))?`/.exec(sentence) ?? [];
  if (command === undefined) return undefined;
  const accept = loss === undefined ? undefined : readAccepted(loss);
  const chooses = choice !== "confirm-peer-down";
  if (!chooses) return byWord(accept);
  // As the command asks: of the peer's power a choice says nothing, and the word on that is said beside it.
  return { peerDown: facts.peer.seen !== "now", accept, choose: choiceNow("self", sidesOf(facts)) };
}

test("over all that can be told apart, the command that a sentence names is taken, and none that says less would be", (t) => {
  let count = 0;
  const spoken = new Set<string>();
  const see = (facts: Facts): void => {
    const { decision, decider } = judge("takeover", facts);
    if (!["needs-human", "wait"].includes(decision.do)) return;
    // R-NO-FACTS comes before all of these.
    if (facts.peer.seen === "now" && facts.peer.facts === undefined) return;
    if (!/\{(confirm|accept|acceptUnknown|choose)\}/.test(decider.sentence)) return;
    // Who waits for a peer that is here, or for another etcd, is helped by no word.
    if (decider.id === "R-GAVE-UP" && (facts.peer.seen === "now" || facts.etcd.versions !== undefined))
      return;
    count++;
    spoken.add(decider.id);
    const { sentence } = decide("takeover", facts);
    const word = typed(sentence, facts);
    assert.ok(word, sentence);
    // As the command asks: once the peer is off, where anybody can switch it off.
    const once = facts.peer.seen === "now" || facts.peerPower === "unreadable" ? facts : supposeOff(facts);
    const outcome = (said: Word): string => judge("takeover", { ...once, word: said }).decision.do;
    const both = { ...facts.word, ...word, choose: word.choose ?? facts.word.choose };
    const taken = outcome({ ...both, accept: word.accept ?? facts.word.accept });
    // A peer that is here gives its data up first, for the same choice.
    const waits = facts.peer.seen === "now" && taken === "wait";
    if (!waits && !servesBy.has(taken)) assert.fail(`${taken} after: ${sentence} ${JSON.stringify(facts)}`);
    if (word.accept === undefined) return;
    for (const less of lesser(word.accept))
      if (servesBy.has(outcome({ ...both, accept: less })))
        assert.fail(`${less} is enough: ${sentence} ${JSON.stringify(facts)}`);
  };
  // Of the disk and of the peer's word only what changes the sentence: filling it in asks the rules, and is slow.
  const selves = holdings([lineage]).filter(
    ({ data, standing, settled, full, tailLost, removalInLog, takeover }) =>
      data &&
      standing === "voter" &&
      settled.mine === 0 &&
      full &&
      !tailLost &&
      !removalInLog &&
      (takeover === undefined || takeover.step === "intent"),
  );
  const peers = peersForTakeover().filter(
    (peer) =>
      peer.seen === "never" ||
      peer.facts === undefined ||
      (peer.facts.full && peer.facts.takeover === undefined),
  );
  everyTakeover(see, selves, peers);
  assert.deepEqual([...spoken].toSorted(), commanding);
  t.diagnostic(`${count} sentences`);
});

test("no sentence says that nothing newer is known where something is, or where nobody can tell", () => {
  let count = 0;
  const see = (facts: Facts): void => {
    const { decider } = judge("takeover", facts);
    if (!/nothing newer/.test(decider.sentence)) return;
    count++;
    const { tags, witness, peer } = facts;
    const read = witness === "on" && [tags.mine, tags.theirs].every(({ kind }) => kind === "lineage");
    const told = peer.seen !== "never" && peer.facts?.lineage !== undefined;
    if (newestClaim(facts) > 0 || !(read || told)) assert.fail(`${decider.id}: ${JSON.stringify(facts)}`);
  };
  const selves = holdings([lineage]).filter(
    ({ data, standing, full }) => data && standing === "voter" && full,
  );
  everyTakeover(
    see,
    selves,
    peersForTakeover().filter((peer) => peer.seen === "never" || peer.facts?.full === true),
  );
  assert.ok(count > 0);
  const tags = { mine: newer, theirs: newer };
  const starting = { ...pair, peer: { seen: "never" }, peerPower: "off", tags, word: byWord(6) } as const;
  assert.equal(
    decide("takeover", starting).sentence,
    "b reads Off, and a may serve without it what it holds (epoch 5 of a): it commands Off once more, and reads it again",
  );
});

const servesBy: ReadonlySet<string> = new Set(["take-over", "resume-takeover", "start-plain"]);

const lesser = (accepted: Accepted): readonly (Accepted | undefined)[] =>
  typeof accepted === "string" && accepted !== "unknown"
    ? [undefined, "unknown", Number.parseInt(accepted, 10)]
    : [undefined];

const commanding = [
  "R-GAVE-UP",
  "R-NEWER-PEER",
  "R-NEWER-TAG",
  "R-NO-WITNESS",
  "R-POWER-UNREAD",
  "R-TAGS-UNPROVEN",
  "R-TAGS-UNREAD",
  "R-WORD-ALONE",
];

test("what is accepted is read as it is typed, and nothing else is", () => {
  for (const text of ["7", "unknown", "7,unknown"] as const) assert.equal(String(readAccepted(text)), text);
  for (const text of ["", "0", "-1", "07", "unknown,7", "7,", "7, unknown", "7,8", "1e3", "1234567890123"])
    assert.equal(readAccepted(text), undefined, text);
});

test("an intent that came to nothing opens no door to data that the peer served by the same number", () => {
  const tags = {
    mine: { kind: "lineage", epoch: 6, owner: peerName },
    theirs: { kind: "lineage", epoch: 6, owner: peerName },
  } as const;
  const self = { ...voter, takeover: { step: "intent", epoch: 6 } } as const;
  const alone: Facts = { ...pair, self, tags, proof: "off", peer: { seen: "never" } };
  for (const accept of [undefined, 4, 5, "unknown"] as const)
    assert.equal(
      said("takeover", { ...alone, word: { ...no_word, peerDown: true, accept } }),
      "R-NEWER-TAG needs-human",
      `${accept}`,
    );
  const named = { ...alone, word: { ...no_word, peerDown: true, accept: 6 } };
  assert.equal(said("takeover", named), "R-ACCEPTED-LOSS take-over");
});

test("a choice names no epoch: a machine that is alone serves older data by none, also where it had given it up", () => {
  const tags = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const silent = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;
  for (const surrendered of [undefined, 6])
    for (const peer of [{ seen: "never" }, { seen: "before", facts: voter }] as const) {
      const alone: Facts = { ...pair, self: { ...voter, surrendered }, tags, proof: "off", peer };
      assert.equal(said("takeover", choosing(alone)), "R-NEWER-TAG needs-human");
      assert.match(said("fence", choosing({ ...alone, proof: "none" })), /refuse-fence$/);
      const named = choosing(alone);
      assert.equal(
        said("takeover", { ...named, word: { ...named.word, accept: 6 } }),
        "R-ACCEPTED-LOSS take-over",
      );
    }
  const given: Facts = { ...pair, self: { ...voter, surrendered: 6 }, proof: "off", peer: { seen: "never" } };
  assert.equal(said("takeover", choosing({ ...given, tags: silent })), "R-TAGS-UNREAD needs-human");
  const heard: Facts = { ...given, peer: { seen: "before", facts: voter } };
  assert.equal(
    said("takeover", choosing({ ...heard, tags: silent })),
    "R-TAGS-UNREAD needs-human",
    "since then",
  );
  // Both tags say that nobody went on without it.
  assert.equal(said("takeover", choosing(given)), "R-ACCEPTED-LOSS take-over");
  assert.match(decide("takeover", { ...given, tags }).sentence, /`duet choose-data a --accept-data-loss 6`$/);
});

test("a takeover after an accepted loss that is tried again covers what was accepted then, and no claim that shows since", () => {
  const self = { ...voter, takeover: { step: "intent", epoch: 1_000_000 } } as const;
  const begun = { kind: "lineage", epoch: 1_000_000, owner: me } as const;
  const later = { kind: "lineage", epoch: 9, owner: peerName } as const;
  const alone: Facts = {
    ...pair,
    self,
    proof: "off",
    peer: { seen: "never" },
    tags: { mine: begun, theirs: later },
  };
  for (const accept of [undefined, 3, "unknown", 1_000_000, "3,unknown"] as const)
    assert.equal(
      said("takeover", { ...alone, word: byWord(accept) }),
      "R-NEWER-TAG needs-human",
      `${accept}`,
    );
  const { decision } = decide("takeover", { ...alone, word: byWord(9) });
  assert.deepEqual(decision, { do: "take-over", epoch: 1_000_000 });
  assert.match(decide("takeover", alone).sentence, /--accept-data-loss 9`/);
  for (const accept of [3, "unknown", 1_000_000] as const)
    assert.equal(
      said("takeover", { ...alone, tags: { mine: begun, theirs: begun }, word: byWord(accept) }),
      "R-ACCEPTED-LOSS take-over",
    );
});

test("who is chosen over another history begins a new million, also where its own is the newer: its revisions are raised above both", () => {
  const older = { ...voter, surrendered: 6, lineage: { epoch: 4, owner: peerName } };
  const chosen = choosing({ ...pair, peer: here(older), etcd: { ...serving, running: false } });
  const { rule, decision } = decide("start", chosen);
  assert.deepEqual([rule, decision], ["R-ACCEPTED-LOSS", { do: "take-over", epoch: 1_000_000 }]);
  assert.equal(said("start", { ...chosen, word: no_word }), "R-TAKE-OVER take-over", "nobody chose");
  const alike = { ...older, lineage: voter.lineage };
  assert.equal(
    said("start", choosing({ ...chosen, peer: here(alike) })),
    "R-TAKE-OVER take-over",
    "it is the same data",
  );
  // Cut short behind the point of no return, and started anew: it is one choice.
  const own = { epoch: 1_000_000, owner: me };
  const owed = { ...voter, lineage: own, takeover: { step: "served", epoch: 1_000_000 } } as const;
  assert.equal(said("start", { ...chosen, self: owed }), "R-RESUME resume-takeover");
  const alone = { ...voter, soleVoter: true };
  const serves = here({ ...older, surrendered: undefined }, { serving: true });
  assert.equal(
    said("start", choosing({ ...chosen, self: alone, peer: serves })),
    "R-PEER-HERE wait",
    "not beside it",
  );
  assert.equal(said("start", { ...chosen, self: alone }), "R-ACCEPTED-LOSS take-over");
  const served = { ...voter, lineage: own, soleVoter: true };
  assert.equal(said("start", { ...chosen, self: served }), "R-ALONE-ALREADY start-plain");
});

test("after its own surrender a machine takes no older word for a denial of the peer's tag", () => {
  const tags = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const word = { ...no_word, peerDown: true };
  // It told that what it had claimed came to nothing.
  const told = { ...voter, settled: { mine: 6, theirs: 0 } };
  const lost: Facts = { ...pair, peer: { seen: "before", facts: told }, tags, word };
  assert.equal(said("takeover", lost), "R-TAKE-OVER take-over");
  const given = choosing({ ...lost, self: { ...voter, surrendered: 6 } });
  assert.equal(said("takeover", given), "R-NEWER-TAG needs-human");
  assert.equal(
    said("takeover", { ...given, word: { ...given.word, accept: 6 } }),
    "R-ACCEPTED-LOSS take-over",
  );
});

test("a lost peer's tag that is later than all that it told is a claim: somebody may have said that this machine is down", () => {
  const tags = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const lost: Facts = { ...pair, peer: { seen: "before", facts: voter }, tags, proof: "off" };
  assert.equal(said("takeover", lost), "R-NEWER-TAG needs-human");
  assert.equal(said("fence", { ...lost, proof: "none" }).split(" ")[1], "refuse-fence");
  assert.equal(said("tags", { ...lost, etcd: serving }), "R-TAGS-CLAIM stop-and-alarm");
  const intended = { ...voter, takeover: { step: "abandoned", epoch: 6 } } as const;
  assert.equal(
    said("takeover", { ...lost, peer: { seen: "before", facts: intended } }),
    "R-TAKE-OVER take-over",
  );
});
