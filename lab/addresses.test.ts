import assert from "node:assert/strict";
import { test } from "node:test";
import { isDocumentation, planAddresses } from "./addresses.ts";
import { defaultSite } from "./site.ts";

const bare = (address: string): string => address.replace(/\/\d+$/, "");

for (const options of [{}, { ipv6: true }, { pdu: true }, { ipv6: true, pdu: true }]) {
  test(`the lab's own site ${JSON.stringify(options)} uses documentation addresses only, each once`, () => {
    const { addresses, problems } = planAddresses(defaultSite("lab", options));
    assert.deepEqual(problems, []);
    const all = [
      ...addresses.machines.flat(),
      ...addresses.bmcs,
      ...addresses.seat,
      ...(addresses.pdu === undefined ? [] : [addresses.pdu]),
    ];
    for (const plug of all) assert.ok(isDocumentation(bare(plug.address)), plug.address);
    assert.equal(new Set(all.map((p) => p.address)).size, all.length);
    assert.deepEqual(
      addresses.machines.map((plugs) => plugs.map((p) => p.wire)),
      [
        ["link1", "link2", "mgmt"],
        ["link1", "link2", "mgmt"],
      ],
    );
  });
}

test("a site whose BMCs share a link's network is refused with a way out", () => {
  const site = defaultSite("lab");
  const [first, second] = site.machines;
  assert.ok(first !== undefined && second !== undefined);
  const crowded = {
    ...site,
    machines: [{ ...first, bmc: { ...first.bmc, url: "https://192.0.2.99" } }, second],
  };
  const { problems } = planAddresses(crowded);
  assert.ok(problems.length > 0);
  assert.match(problems[0]?.what ?? "", /one network per wire/);
});

test("a machine may have several outlets, on the one PDU that the lab has", () => {
  const site = defaultSite("lab", { pdu: true });
  const urls = (...given: readonly string[]) => ({
    ...site,
    machines: site.machines.map((m) => ({
      ...m,
      pdus: m.pdus.flatMap((pdu) => given.map((url, i) => ({ ...pdu, url, outlet: `${pdu.outlet}-${i}` }))),
    })),
  });
  const one = "https://203.0.113.20";
  assert.deepEqual(planAddresses(urls(one, one)).problems, []);
  assert.match(planAddresses(urls(one, "https://203.0.113.21")).problems[0]?.what ?? "", /one PDU/);
});

test("an address that the lab needs for itself is refused", () => {
  const site = defaultSite("lab");
  const [first, second] = site.machines;
  assert.ok(first !== undefined && second !== undefined);
  const taken = { ...site, machines: [{ ...first, addresses: ["192.0.2.254", "198.51.100.11"] }, second] };
  assert.match(planAddresses(taken).problems[0]?.fix ?? "", /below 201/);
});

test("IPv6 networks are the same in every spelling", () => {
  const site = defaultSite("lab", { ipv6: true });
  const [first, second] = site.machines;
  assert.ok(first !== undefined && second !== undefined);
  const spelled = {
    ...site,
    machines: [first, { ...second, addresses: ["2001:db8:1:0:0:0:0:12", "2001:db8:2::12"] }],
  };
  assert.deepEqual(planAddresses(spelled).problems, []);
});
