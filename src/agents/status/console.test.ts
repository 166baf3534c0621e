import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Verdict } from "../../decide/decide.ts";
import { tellConsole } from "./console.ts";

const folder = mkdtempSync(join(tmpdir(), "duet-console-"));
after(() => rmSync(folder, { recursive: true }));

test("while a machine waits its turn and commands Off, the prompt says so; when it starts the words go", () => {
  const files = { issue: join(folder, "50-duet.issue"), reload: join(folder, "reload") };
  const verdict = (rule: string, decision: Verdict["decision"], sentence: string): Verdict => ({
    rule,
    path: [rule],
    decision,
    sentence,
  });
  tellConsole(verdict("R-TAGS-UNREAD", { do: "needs-human" }, "a tag can't be read"), files);
  tellConsole(verdict("R-PROVE-OFF", { do: "prove-off" }, "node1 commands Off once more"), files);
  assert.match(readFileSync(files.issue, "utf8"), /^duet: node1 commands Off once more \(R-PROVE-OFF/);
  tellConsole(verdict("R-TAKE-OVER", { do: "take-over", epoch: 6 }, "it takes over"), files);
  assert.ok(!existsSync(files.issue));
});
