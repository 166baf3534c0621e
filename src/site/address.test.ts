import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalAddress, isReachable, parseEndpoint, urlOf } from "./address.ts";

test("every spelling of an address has one canonical form", () => {
  for (const text of ["2001:db8::1", "2001:DB8:0::1", "2001:0db8:0000:0000:0000:0000:0000:0001"])
    assert.equal(canonicalAddress(text), "2001:db8::1");
  assert.equal(canonicalAddress("192.0.2.11"), "192.0.2.11");
});

test("the canonical form of any IPv6 address is canonical, and is the same address", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = canonicalAddress(text);
      assert.ok(canonical !== undefined, text);
      assert.equal(canonicalAddress(canonical), canonical);
    }),
  );
});

test("what is no plain address has no canonical form", () => {
  for (const text of [
    "",
    "192.0.2",
    "192.0.2.256",
    "010.0.0.1",
    "192.0.2.11/24",
    "[2001:db8::1]",
    "fe80::1%eth0",
    "node1",
  ])
    assert.equal(canonicalAddress(text), undefined, text);
});

test("addresses that no other machine can reach are known", () => {
  for (const text of [
    "0.0.0.0",
    "127.0.0.1",
    "169.254.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "ff02::1",
  ])
    assert.equal(isReachable(text), false, text);
  assert.equal(isReachable(canonicalAddress("::ffff:192.0.2.1") ?? ""), false);
  for (const text of ["192.0.2.11", "10.0.0.1", "2001:db8::1", "fd00::1"])
    assert.equal(isReachable(text), true, text);
});

const read = (text: string) => {
  const endpoint = parseEndpoint(text);
  return endpoint === undefined ? undefined : urlOf(endpoint);
};

test("a service's address is read in every form, with the port or without", () => {
  assert.equal(read("https://203.0.113.11"), "https://203.0.113.11");
  assert.equal(read("https://203.0.113.11/"), "https://203.0.113.11");
  assert.equal(read("HTTPS://BMC1.example:443"), "https://bmc1.example");
  assert.equal(read("bmc1.example:8443"), "https://bmc1.example:8443");
  assert.equal(read("2001:DB8::11"), "https://[2001:db8::11]");
  assert.equal(read("[2001:db8::11]:8443"), "https://[2001:db8::11]:8443");
  assert.equal(read("https://[2001:db8:0::11]:8443"), "https://[2001:db8::11]:8443");
  for (const text of [
    "",
    "https://",
    "203.0.113.300",
    "1",
    "[203.0.113.11]",
    "[2001:db8::11",
    "bmc:0",
    "bmc:65536",
    "a b",
    "-a",
    "ftp://x",
  ])
    assert.equal(read(text), undefined, text);
});
