import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { empty, type Facts, no_word } from "./facts.ts";
import { me, peerName } from "./model/product.ts";
import { here, pair, said, serving, voter } from "./testing-pair.ts";

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
    const chosen = { ...blank, tags, word: { ...no_word, choose: "self" } } as const;
    assert.equal(said("takeover", chosen).split(" ")[1], "take-over");
    const gone = decide("takeover", { ...blank, tags, peer: { seen: "never" } });
    assert.ok(
      gone.sentence.includes(`(\`duet confirm-peer-down --accept-data-loss ${accepted}\`)`),
      gone.sentence,
    );
  }
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

test("a choice names no epoch: a machine that is alone serves older data by none, unless it had given it up", () => {
  const tags = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const word = { ...no_word, choose: "self" } as const;
  const alone: Facts = { ...pair, tags, word, proof: "off", peer: { seen: "never" } };
  assert.equal(said("takeover", alone), "R-NEWER-TAG needs-human");
  const silent = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;
  assert.equal(said("takeover", { ...alone, tags: silent }), "R-TAGS-UNREAD needs-human");
  assert.equal(
    said("takeover", { ...alone, self: { ...voter, surrendered: 6 } }),
    "R-ACCEPTED-LOSS take-over",
  );
});

test("after its own surrender a machine takes no older word for a denial of the peer's tag", () => {
  const tags = { ...pair.tags, mine: { kind: "lineage", epoch: 6, owner: peerName } } as const;
  const word = { ...no_word, peerDown: true, choose: "self" } as const;
  // It told that what it had claimed came to nothing.
  const told = { ...voter, settled: { mine: 6, theirs: 0 } };
  const lost: Facts = { ...pair, peer: { seen: "before", facts: told }, tags, word };
  assert.equal(said("takeover", lost), "R-TAKE-OVER take-over");
  assert.equal(
    said("takeover", { ...lost, self: { ...voter, surrendered: 6 } }),
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
