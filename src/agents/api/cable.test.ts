import assert from "node:assert/strict";
import { test } from "node:test";
import { cableOf, isInReach, type OwnAddress } from "./cable.ts";

const own = (...cidrs: readonly string[]): readonly OwnAddress[] =>
  cidrs.map((cidr) => ({ address: cidr.split("/")[0] ?? "", cidr }));

test("an address is in reach by an own one of its network, and not by itself", () => {
  assert.ok(isInReach("192.0.2.10", own("127.0.0.1/8", "192.0.2.11/24")));
  assert.ok(isInReach("2001:db8:1::10", own("2001:db8:1:0::b/64")));
  for (const cidrs of [
    [],
    ["192.0.2.10/24"],
    ["198.51.100.11/24", "192.0.3.11/24"],
    ["192.0.2.11/32"],
    ["2001:db8:2::b/64", "fe80::1/64"],
    ["192.0.2.11/nonsense", "192.0.2.11"],
  ])
    assert.ok(!isInReach("192.0.2.10", own(...cidrs)), cidrs.join());
  assert.ok(!isInReach("2001:db8:1::10", own("2001:0db8:1::0010/64")), "by another spelling of itself");
  assert.ok(!isInReach("192.0.2.10", [{ address: "192.0.2.11", cidr: null }]));
});

test("unplugged is what was plugged before; a way that no address tells never is", () => {
  let now = own("192.0.2.11/24", "192.0.2.10/24");
  const plugged = cableOf("192.0.2.10", () => now);
  assert.equal(plugged(), true);
  now = own("198.51.100.11/24");
  assert.equal(plugged(), false);
  now = own("192.0.2.11/24");
  assert.equal(plugged(), true);

  now = own("198.51.100.11/24");
  const routed = cableOf("192.0.2.10", () => now);
  assert.equal(routed(), true);
});

test("this machine's own addresses can be asked for", () => {
  assert.equal(cableOf("127.0.0.10")(), true);
  assert.equal(isInReach("127.0.0.10", own("127.0.0.1/8")), true);
});
