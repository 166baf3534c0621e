import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatScenario } from "./format.ts";
import { parseScenario } from "./parse.ts";
import { samples } from "./words.ts";

test("spacing, letters and numbers become canonical; comments stay", () => {
  const tidy = formatScenario(
    '\r\n#Title\r\n\n\n worlds :lab,sim\nCI\nBMC  of Node2: OFF 06 second on 1 minutes\nstart   BOTH machines# go\n\n\n\nwait 01 seconds\nexpect node1 refuses and says "a  # b"\n#end\n\n',
  );
  assert.equal(
    tidy,
    '# Title\n\nworlds: sim, lab\nci\nbmc of node2: off 6 seconds, on 1 minute\n\nstart both machines  # go\n\nwait 1 second\nexpect node1 refuses and says "a  # b"\n# end\n',
  );
});

test("what is not understood stays as it was", () => {
  assert.equal(formatScenario("  dance   with node1 \n"), "dance   with node1\n");
});

const step = fc.constantFrom(
  ...samples().map(({ text }) => text),
  "in the lab: expect CRI-O runs on node1",
  "at the promote entry: cut the power of node1",
);
const messy = fc
  .array(
    fc.tuple(
      step,
      fc.constantFrom("", " ", "\t", "  "),
      fc.constantFrom("", "  # why", "#x", "\n", "\n\n# between\n"),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) =>
    rows
      .map(([text, space, end, loud]) => {
        // Words in quotes are somebody else's: their spaces and letters are left alone.
        const spread = text.includes('"') ? text : text.replaceAll(" ", ` ${space}`);
        return `${space}${loud && !text.includes('"') ? spread.toUpperCase() : spread}${end}`;
      })
      .join("\n"),
  );

test("formatting twice is formatting once, and says the same", () => {
  fc.assert(
    fc.property(messy, (text) => {
      const tidy = formatScenario(text);
      assert.equal(formatScenario(tidy), tidy);
      const asks = (from: string) =>
        parseScenario(`cut link 1\n${from}`, "x").scenario?.steps.map(({ ask }) => ask);
      assert.deepEqual(asks(tidy), asks(text));
    }),
    { numRuns: 200 },
  );
});

test("no text makes the parser throw, and every problem has its place", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      for (const { where } of parseScenario(text, "x").problems) assert.match(where, /^x:\d+:\d+$/);
    }),
    { numRuns: 200 },
  );
});
