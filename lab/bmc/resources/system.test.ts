import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { resetTypes } from "../power/reset.ts";
import { bench, FakeMetal } from "../testing.ts";
import { asset_tag_characters_max } from "./system.ts";

const system = "/redfish/v1/Systems/1";
const lab = await bench({ metal: new FakeMetal(true) });
after(() => lab[Symbol.asyncDispose]());

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: asset_tag_characters_max,
});

test("any legal AssetTag is kept to the letter", async () => {
  await fc.assert(
    fc.asyncProperty(printable, async (tag) => {
      const patch = await lab.call("PATCH", system, { body: { AssetTag: tag } });
      assert.equal(patch.status, 200);
      assert.equal((await lab.call("GET", system)).json["AssetTag"], tag);
    }),
    { numRuns: 30 },
  );
});

test("a tag that is too long or has strange characters is refused, and the old one stays", async () => {
  await lab.call("PATCH", system, { body: { AssetTag: "stays" } });
  const refused = ["x".repeat(asset_tag_characters_max + 1), "zwölf", "tab\t", "line\n", 5, true, ["a"], {}];
  for (const tag of refused) {
    const reply = await lab.call("PATCH", system, { body: { AssetTag: tag } });
    assert.equal(reply.status, 400, JSON.stringify(tag));
    assert.match(reply.body, /"RelatedProperties":\["#\/AssetTag"\]/);
  }
  assert.equal((await lab.call("GET", system)).json["AssetTag"], "stays");
  await lab.call("PATCH", system, { body: { AssetTag: null } });
  assert.equal((await lab.call("GET", system)).json["AssetTag"], "");
});

test("a patch with one bad property changes none of the good ones", async () => {
  const before = await lab.call("GET", system);
  const reply = await lab.call("PATCH", system, {
    body: { AssetTag: "half", PowerState: "Off", Bogus: 1, Boot: { BootSourceOverrideTarget: "Tape" } },
  });
  assert.equal(reply.status, 400);
  for (const name of ["PowerState", "Bogus", "Boot/BootSourceOverrideTarget"])
    assert.ok(reply.body.includes(name), name);
  assert.equal((await lab.call("GET", system)).body, before.body);
});

type Ask =
  | { readonly do: "read" }
  | { readonly do: "tag"; readonly tag: string; readonly match: "none" | "current" | "old" }
  | { readonly do: "reset"; readonly type: string }
  | { readonly do: "outside"; readonly powered: boolean };

const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ do: fc.constant("read" as const) }),
  fc.record({
    do: fc.constant("tag" as const),
    tag: fc.constantFrom("a", "b", "c"),
    match: fc.constantFrom("none" as const, "current" as const, "old" as const),
  }),
  fc.record({ do: fc.constant("reset" as const), type: fc.constantFrom(...resetTypes, "Nonsense") }),
  fc.record({ do: fc.constant("outside" as const), powered: fc.boolean() }),
);

const legal = ["On", "Off", "PoweringOn", "PoweringOff"];

test("for any sequence of requests: a legal PowerState, a tag per body, and no change by an old If-Match", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ask, { maxLength: 12 }), async (asks) => {
      /** Bodies by their tag, and tags by their body: each way there is one. */
      const bodies = new Map<string, string>();
      const look = async () => {
        const reply = await lab.call("GET", system);
        assert.equal(reply.status, 200);
        assert.ok(legal.some((state) => state === reply.json["PowerState"]));
        const etag = reply.headers["etag"] ?? "";
        assert.equal(bodies.get(etag) ?? reply.body, reply.body);
        bodies.set(etag, reply.body);
        assert.equal(new Set(bodies.values()).size, bodies.size);
        return { etag, tag: reply.json["AssetTag"] };
      };
      for (const one of asks) {
        const { etag, tag } = await look();
        if (one.do === "outside") lab.metal.powered = one.powered;
        if (one.do === "reset") {
          const target = `${system}/Actions/ComputerSystem.Reset`;
          const { status } = await lab.call("POST", target, { body: { ResetType: one.type } });
          assert.ok(one.type === "Nonsense" ? status === 400 : status === 204 || status === 409);
        }
        if (one.do === "tag") {
          const old = [...bodies.keys()].find((known) => known !== etag) ?? '"never-issued"';
          const match = { none: undefined, current: etag, old }[one.match];
          const headers = match === undefined ? {} : { "if-match": match };
          const reply = await lab.call("PATCH", system, { body: { AssetTag: one.tag }, headers });
          const now = await look();
          // Power may have come to what it was before, and with it an old tag is the current one again.
          if (reply.status === 412) assert.equal(now.tag, tag);
          else assert.equal(now.tag, one.tag);
          if (one.match === "none") assert.equal(reply.status, 200);
        }
      }
    }),
    { numRuns: 25 },
  );
});
