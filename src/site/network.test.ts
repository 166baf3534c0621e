import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalAddress } from "./address.ts";
import { contains, networkText, nthAddress, overlap, parseNetwork, part } from "./network.ts";

const read = (text: string) => {
  const network = parseNetwork(text);
  assert.ok(network !== undefined, text);
  return network;
};

test("a network is told in one form, and what is none is refused", () => {
  assert.equal(networkText(read("198.18.0.0/16")), "198.18.0.0/16");
  assert.equal(networkText(read("FD00:10:0244::/56")), "fd00:10:244::/56");
  for (const text of [
    "",
    "198.18.0.0",
    "198.18.0.0/33",
    "198.18.0.1/16",
    "fd00::/129",
    "a/8",
    "1.2.3.4/",
    "1/8",
  ])
    assert.equal(parseNetwork(text), undefined, text);
});

test("its addresses and parts are counted from its beginning", () => {
  const [pods, services, six] = ["198.18.0.0/16", "198.19.0.0/16", "fd00:10:244::/56"].map(read);
  assert.ok(pods !== undefined && services !== undefined && six !== undefined);
  assert.deepEqual(
    [1, 10, 256].map((n) => nthAddress(services, n)),
    ["198.19.0.1", "198.19.0.10", "198.19.1.0"],
  );
  assert.deepEqual(
    [0, 1].map((n) => networkText(part(pods, 24, n))),
    ["198.18.0.0/24", "198.18.1.0/24"],
  );
  assert.deepEqual(
    [0, 1].map((n) => networkText(part(six, 64, n))),
    ["fd00:10:244::/64", "fd00:10:244:1::/64"],
  );
  assert.equal(overlap(pods, services), false);
  assert.equal(overlap(pods, read("198.18.255.0/24")), true);
  assert.equal(overlap(read("0.0.0.0/0"), six), false);
});

test("an address is in every network that is made of it, and reads back", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat({ max: 32 }), (text, prefix) => {
      const address = canonicalAddress(text);
      fc.pre(address !== undefined && !address.startsWith("::ffff:"));
      const whole = read(`${address}/${address.includes(":") ? 128 : 32}`);
      assert.equal(nthAddress(whole, 0), address);
      const span = 1n << BigInt((address.includes(":") ? 128 : 32) - prefix);
      const around = { ...whole, prefix, base: whole.base - (whole.base % span) };
      assert.ok(contains(around, address) && overlap(around, whole));
      assert.deepEqual(parseNetwork(networkText(around)), around);
    }),
  );
});
