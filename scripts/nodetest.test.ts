import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { type Counts, merged, noCounts, whenReady } from "./nodetest.ts";
import { planTests } from "./testfiles.ts";

/** What the runner sends for a run, as far as it matters here. */
async function* fakeRun(counts: Partial<Counts>, message: string): AsyncGenerator<TestEvent> {
  yield { type: "test:diagnostic", data: { nesting: 0, message, level: "info" } };
  for (const [name, count] of Object.entries({ ...noCounts(), ...counts }))
    yield { type: "test:diagnostic", data: { nesting: 0, message: `${name} ${count}`, level: "info" } };
}

test("two runs are shown with one summary, in node's words", async () => {
  const counts = noCounts();
  const began: string[] = [];
  const first = () => {
    began.push("first");
    return fakeRun({ tests: 5, pass: 4, fail: 1, duration_ms: 20.5 }, "pass the salt");
  };
  const second = () => {
    began.push("second");
    return fakeRun({ tests: 2, pass: 1, cancelled: 1, duration_ms: 100 }, "tests 2 of 3");
  };
  const shown = Readable.from(merged([first, second], counts)).pipe(new spec());
  let text = "";
  for await (const chunk of shown) text += String(chunk);
  assert.deepEqual(began, ["first", "second"]);
  assert.deepEqual(counts, { ...noCounts(), tests: 7, pass: 5, fail: 1, cancelled: 1, duration_ms: 120.5 });
  assert.equal(text.match(/ℹ tests 7$/gm)?.length, 1, text);
  assert.match(text, /ℹ tests 7\nℹ suites 0\nℹ pass 5\nℹ fail 1\nℹ cancelled 1\n/);
  assert.match(text, /pass the salt[^]*tests 2 of 3[^]*tests 7/);
});

test("test files are found by name, lab tests apart, those with Kubernetes again, patterns narrow", () => {
  const files = ["src/a.test.ts", "src/a.ts", "lab/b.lab.test.ts", "lab/c.test.ts", "docs/d.test.ts"];
  const kubernetes = ["lab/kubernetes.lab.test.ts", "lab/kubernetes-x.lab.test.ts"];
  assert.deepEqual(planTests([...kubernetes, ...files, "lab/kubernetes/z.lab.test.ts"], []), {
    ordinary: ["src/a.test.ts", "lab/c.test.ts"],
    lab: ["lab/b.lab.test.ts", "lab/kubernetes/z.lab.test.ts"],
    kubernetes,
  });
  assert.deepEqual(planTests(files, ["lab/"]), {
    ordinary: ["lab/c.test.ts"],
    lab: ["lab/b.lab.test.ts"],
    kubernetes: [],
  });
  assert.deepEqual(planTests(files, ["nothing"]), { ordinary: [], lab: [], kubernetes: [] });
});

test("a run that waits for something begins when that is there, and not at all where it failed", async () => {
  const begun: string[] = [];
  const begin = (name: string) => () => {
    begun.push(name);
    return fakeRun({ tests: 1 }, name);
  };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const counts = noCounts();
  const runs = [
    begin("first"),
    whenReady(promise, begin("second")),
    whenReady(Promise.resolve(false), begin("third")),
  ];
  const shown: string[] = [];
  for await (const event of merged(runs, counts)) {
    if (event.type === "test:diagnostic") shown.push(event.data.message);
    // Only now: what is before it has run by then.
    resolve(true);
  }
  assert.deepEqual(begun, ["first", "second"]);
  assert.equal(counts.tests, 2);
  assert.equal(shown[1], "second");
});
