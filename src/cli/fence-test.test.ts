import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { written_text } from "../agents/check/tag.ts";
import { siteText } from "../agents/hands/testing-site.ts";
import { run } from "../machine/process.ts";
import { rotatedText } from "./credentials-command.ts";
import { reportText } from "./fence-test-command.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-fence-test-"));
after(() => rm(folder, { recursive: true }));
const main = join(import.meta.dirname, "main.ts");
const duet = (args: readonly string[], input = "") =>
  run([process.execPath, main, ...args], { cwd: folder, accept: "any", input, deadline_ms: 60_000 });

test("neither here nor with a site file: status 3; a wrong name or input: status 2, before anybody is asked", async () => {
  for (const args of [["fence-test"], ["credentials", "rotate", "node2"]]) {
    const { status, stderr } = await duet(args);
    assert.equal(status, 3, stderr);
    assert.match(stderr, /DUET-E-STATUS-NOT-HERE/);
  }
  await writeFile(
    join(folder, "site.yaml"),
    siteText({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" }),
  );
  for (const [args, input, code] of [
    [["fence-test", "node3"], "", "DUET-E-USAGE"],
    [["fence-test", "--disruptive", "--yes"], "", "DUET-E-USAGE"],
    [["fence-test", "node2", "--disruptive"], "", "DUET-E-FENCE-TEST-CONSENT"],
    [["credentials", "rotate", "node2"], "no colon", "DUET-E-CREDENTIALS-FORM"],
    [["credentials", "rotate", "node3"], "a:b", "DUET-E-USAGE"],
    [["credentials", "rotate", "node2", "--from", "nowhere"], "", "DUET-E-CREDENTIALS-MISSING"],
  ] as const) {
    const { status, stderr } = await duet(args, input);
    assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
    assert.ok(stderr.includes(code), stderr);
  }
});

test("a report says what is proven, and which way is left where one is not", () => {
  const way = (name: "BMC" | "outlet", ok: boolean) => ({ way: name, ok, why: "", fix: "", code: null });
  const base = { by: "node1", target: "node2", at_ms: 0, failing_ms: null, findings: [] };
  const well = {
    ...base,
    ok: true,
    good_ms: 0,
    ways: [way("BMC", true), way("outlet", true)],
    off_ms: 1_400,
  };
  assert.match(reportText(well), /proven by BMC and outlet\.\nFor real: node2 was off after 1\.4 s/);
  const tag = (mark: "ok" | "note", detail: string) => ({ subject: "node2", check: "BMC tag", mark, detail });
  const harmless = (...findings: readonly ReturnType<typeof tag>[]) =>
    reportText({ ...well, off_ms: null, findings });
  const read =
    /proven by BMC and outlet\. The BMC was only read: .*`duet fence-test node2 --disruptive` shows/;
  assert.match(harmless(tag("note", "not tested: the site file says `witness: off`")), read);
  assert.match(harmless(tag("ok", "holds nothing")), read);
  assert.doesNotMatch(harmless(tag("ok", written_text)), /only read/);
  const half = {
    ...well,
    ok: false,
    good_ms: null,
    ways: [way("BMC", false), way("outlet", true)],
    off_ms: null,
  };
  assert.match(reportText(half), /BMC failed; outlet would do it\. All was well last: never\./);
});

test("what was rotated is told with what is left to do", () => {
  const rotated = {
    machine: "node2",
    here: "node1",
    changed: true,
    peer: { name: "node2", has: "later" },
  } as const;
  assert.match(rotatedText(rotated, "machine"), /node2 is away and still holds the old ones[^]*site file/);
  const proven = { ...rotated, peer: { name: "node2", has: "proven" }, file: "/x/node2.bmc" } as const;
  assert.match(rotatedText(proven, "seat"), /proven them too[^]*`duet render` makes it anew/);
});
