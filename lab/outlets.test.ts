import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeFeed } from "./bmc/testing.ts";
import { outletsOf } from "./outlets.ts";

const endpoint = {
  url: "https://203.0.113.20",
  credentials: { file: "pdu" },
  trust: { by: "system" },
} as const;
const outlet = (name: string) => ({
  ...endpoint,
  outlet: `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/${name}`,
});

function made(...names: readonly string[]) {
  const feed = new FakeFeed();
  const outlets = outletsOf({ pdus: names.map(outlet) }, feed);
  const at = (name: string) => outlets.get(name) ?? assert.fail(name);
  const states = async () => await Promise.all(names.map((name) => at(name).isOn()));
  return { feed, at, states };
}

test("a machine with two supplies has power until both outlets are off, and again with one", async () => {
  const { feed, at, states } = made("A1", "B1");
  await at("A1").off();
  assert.deepEqual([feed.powered, ...(await states())], [true, false, true]);
  await at("B1").off();
  assert.deepEqual([feed.powered, ...(await states())], [false, false, false]);
  await at("A1").on();
  assert.deepEqual([feed.powered, ...(await states())], [true, true, false]);
});

test("with one outlet it is the feed itself", async () => {
  const { feed, at, states } = made("node1");
  await at("node1").off();
  assert.deepEqual([feed.powered, ...(await states())], [false, false]);
  await at("node1").on();
  assert.deepEqual([feed.powered, ...(await states())], [true, true]);
});

test("a feed that is lost or brought back elsewhere is seen at every outlet", async () => {
  const { feed, at, states } = made("A1", "B1");
  feed.powered = false;
  assert.deepEqual(await states(), [false, false]);
  for (const name of ["A1", "B1"]) await at(name).off();
  feed.powered = true;
  assert.deepEqual(await states(), [true, true]);
});
