import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formedAt_ms, parseDetection, parseFlags, parseMembership, parseStandstills } from "./corosync.ts";

// As Corosync 3.1.9 printed them on machines of the lab.
const whole = `Quorum information
------------------
Date:             Sun Nov 15 15:17:29 2026
Quorum provider:  corosync_votequorum
Nodes:            2
Node ID:          1
Ring ID:          1.9
Quorate:          Yes

Votequorum information
----------------------
Expected votes:   2
Highest expected: 2
Total votes:      2
Quorum:           1  
Flags:            2Node Quorate WaitForAll 

Membership information
----------------------
    Nodeid      Votes Name
         1          1 node1 (local)
         2          1 node2
`;

const lone = `Quorum information
------------------
Date:             Sun Nov 15 15:19:23 2026
Quorum provider:  corosync_votequorum
Nodes:            1
Node ID:          1
Ring ID:          1.16
Quorate:          No

Votequorum information
----------------------
Expected votes:   2
Highest expected: 2
Total votes:      1
Quorum:           1 Activity blocked
Flags:            2Node WaitForAll 

Membership information
----------------------
    Nodeid      Votes Name
         1          1 node1 (local)
`;

test("what votequorum runs with is in its own words", () => {
  assert.deepEqual(parseFlags(whole), ["2Node", "Quorate", "WaitForAll"]);
  assert.deepEqual(parseFlags(whole.replace(/^Flags:.*$/m, "Flags:            Quorate Qdevice ")), [
    "Quorate",
    "Qdevice",
  ]);
  assert.equal(parseFlags("Cannot initialize QUORUM service"), undefined);
});

test("a membership of two, and of one that waits for all", () => {
  assert.deepEqual(parseMembership(whole), { ring: "1.9", nodeId: 1, members: [1, 2], quorate: true });
  assert.deepEqual(parseMembership(lone), { ring: "1.16", nodeId: 1, members: [1], quorate: false });
});

test("half an answer is none", () => {
  for (const text of [
    "",
    "Cannot initialize QUORUM service",
    whole.replace("Ring ID:          1.9", "Ring ID:          ?"),
    whole.replace("Quorate:          Yes", ""),
    whole.replace("Node ID:          1", "Node ID:          3"),
    whole.slice(0, whole.indexOf("Membership information")),
  ])
    assert.equal(parseMembership(text), undefined, text);
});

test("when the machine stood still, and the times that detection takes", () => {
  const text = `stats.schedmiss.0.delay (flt) = 1730.655518
stats.schedmiss.0.timestamp (u64) = 1794755912718
stats.schedmiss.1.delay (flt) = 1201.000000
stats.schedmiss.1.timestamp (u64) = 1794755800000
`;
  assert.deepEqual(parseStandstills(text), [
    { ended_ms: 1794755912718, lasted_ms: 1730.655518 },
    { ended_ms: 1794755800000, lasted_ms: 1201 },
  ]);
  assert.deepEqual(parseStandstills(""), []);
  const totem = `runtime.config.totem.consensus (u32) = 500
runtime.config.totem.token (u32) = 1500
runtime.config.totem.token_retransmit (u32) = 357
`;
  assert.deepEqual(parseDetection(totem), { token_ms: 1500, consensus_ms: 500 });
  assert.equal(parseDetection("runtime.config.totem.token_retransmit (u32) = 357"), undefined);
});

test("a ring's file dates it, unless it is of another ring", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-ring-"));
  try {
    const seen = { ring: "2.15", nodeId: 2, members: [2], quorate: true };
    assert.equal(await formedAt_ms(seen, folder), undefined);
    const path = join(folder, "ringid_2");
    await writeFile(path, Buffer.from([0x15, 0, 0, 0, 0, 0, 0, 0]));
    await utimes(path, 1794755928.25, 1794755928.25);
    assert.equal(await formedAt_ms(seen, folder), 1794755928250);
    // The next one is being formed.
    await writeFile(path, Buffer.from([0x19, 0, 0, 0, 0, 0, 0, 0]));
    assert.equal(await formedAt_ms(seen, folder), undefined);
    await writeFile(path, "");
    assert.equal(await formedAt_ms(seen, folder), undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});
