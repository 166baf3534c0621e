import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../src/machine/clock.ts";
import { checkAtSeat, duetOk, fencesOfNode2, on, ownLabsFolder, redfish, traces } from "./testing.ts";

ownLabsFolder();
const name = "six";
let was: readonly string[] = [];

before(async () => {
  was = await traces();
  await duetOk("lab", "up", "--name", name, "--ipv6", "--pdu");
});

test("two machines on IPv6 only form a cluster on both links", async () => {
  assert.match(await on(name, "node1", "crm_mon", "-1"), /Online: \[ node1 node2 \]/);
  const links = await on(name, "node1", "corosync-cfgtool", "-s");
  assert.equal(links.match(/nodeid:\s+2:\s+connected/g)?.length, 2, links);
  assert.doesNotMatch(await on(name, "node1", "ip", "-4", "-o", "addr"), /link|mgmt/);
});

test("the operator's check is content: BMCs, PDU outlets, links, ssh", async () => {
  const { table, wrong } = await checkAtSeat(name);
  assert.deepEqual(wrong, []);
  assert.match(table, /2001:db8:1::11/);
  assert.match(table, /outlet/i);
});

test("fence_duet fences over IPv6, and the peer is powered on again", async () => {
  const before = await fencesOfNode2(name);
  await duetOk("lab", "power", "hang", "node2", "--name", name);
  await until("node2 proven off by node1", async () => (await fencesOfNode2(name)) > before, {
    deadline_ms: 180_000,
    every_ms: 300,
  });
  await until(
    "node2 on again, and a voter",
    async () => /Promoted: \[ node1 node2 \]/.test(await on(name, "node1", "crm_mon", "-1")),
    { deadline_ms: 180_000, every_ms: 300 },
  );
});

test("the PDU's outlet takes machine and BMC away, and gives them back", async () => {
  const outlet = async (state: string) => {
    assert.match(await redfish(name, "node1", "outlet", state), /"ok":true/);
  };
  const isPowered = (power: "on" | "off") =>
    until(
      `node1 ${power} by its outlet`,
      async () =>
        (await duetOk("lab", "status", "--name", name, "--json"))
          .replaceAll(/\s+/g, " ")
          .includes(`"name": "node1", "power": "${power}", "feed": "${power}"`),
      { deadline_ms: 180_000 },
    );
  // Else node2 proves node1 off by that very outlet, and has it on again before anybody has looked.
  await duetOk("lab", "wire", "cut", "node2:mgmt", "--name", name);
  await outlet("Off");
  await isPowered("off");
  await outlet("On");
  // The BMC is up at once; the machine follows, since it was on when the power went.
  await isPowered("on");
  await duetOk("lab", "wire", "heal", "node2:mgmt", "--name", name);
});

after(async () => {
  await duetOk("lab", "down", "--name", name);
  assert.deepEqual(await traces(), was);
});
