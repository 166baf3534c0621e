import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { DuetError, exit } from "../base/problem.ts";
import { loadCredentials } from "./credentials.ts";
import { run } from "./process.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-credentials-"));
after(() => rm(folder, { recursive: true }));

async function file(text: string, mode = 0o600): Promise<{ readonly file: string }> {
  await writeFile(join(folder, "bmc"), text, { mode });
  await chmod(join(folder, "bmc"), mode);
  return { file: "bmc" };
}

async function refused(work: Promise<unknown>): Promise<DuetError> {
  const error: unknown = await work.then(
    () => assert.fail("not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DuetError);
  assert.equal(error.status, exit.badInput);
  return error;
}

test("a password is taken as it is, whatever a shell would make of it", async () => {
  for (const password of [
    "plain",
    "a$b",
    "it's",
    'say "hi"',
    " with blanks",
    "`id`",
    "$(id)",
    "a:b:c",
    "back\\slash",
    "ü€",
    "#!",
  ]) {
    for (const end of ["", "\n", "\r\n"]) {
      const credentials = await loadCredentials(await file(`admin:${password}${end}`), folder);
      assert.equal(credentials.username, "admin");
      assert.equal(credentials.password.reveal(), password);
      assert.ok(!inspect(credentials).includes(password) && !JSON.stringify(credentials).includes(password));
    }
    process.env["DUET_TEST_BMC"] = `admin:${password}`;
    assert.equal((await loadCredentials({ env: "DUET_TEST_BMC" }, folder)).password.reveal(), password);
  }
  delete process.env["DUET_TEST_BMC"];
});

test("a blank at the end, which the stock fence agent cuts off, is refused and not repeated", async () => {
  for (const blank of [" ", "\t", "\u00a0", "\u2003", "\u001f", "\u0085"]) {
    process.env["DUET_TEST_BMC"] = `admin:hunter2${blank}`;
    for (const ref of [await file(`admin:hunter2${blank}\n`), { env: "DUET_TEST_BMC" }]) {
      const { problems } = await refused(loadCredentials(ref, folder));
      assert.equal(problems[0]?.code, "DUET-E-CREDENTIALS-BLANK");
      assert.ok(!JSON.stringify(problems).includes("hunter2"));
    }
  }
  delete process.env["DUET_TEST_BMC"];
});

test("only one newline at the end is the file's; more are a second line", async () => {
  assert.equal(
    (await refused(loadCredentials(await file("admin:a\n\n"), folder))).problems[0]?.code,
    "DUET-E-CREDENTIALS-FORM",
  );
});

test("a file that others may read is refused, with the command that mends it", async () => {
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    const error = await refused(loadCredentials(await file("admin:hunter2", mode), folder));
    assert.equal(error.problems[0]?.code, "DUET-E-CREDENTIALS-MODE");
    assert.equal(error.problems[0]?.fix, `chmod 600 ${join(folder, "bmc")}`);
  }
});

test("what has another form is refused and not repeated", async () => {
  for (const text of [
    "",
    "hunter2",
    ":hunter2",
    "hunter2:",
    "a:b\nhunter2:c",
    "hunter2\0:x",
    `a:${"hunter2".repeat(1000)}`,
  ]) {
    const error = await refused(loadCredentials(await file(text), folder));
    assert.equal(error.problems[0]?.code, "DUET-E-CREDENTIALS-FORM");
    assert.ok(!JSON.stringify(error.problems).includes("hunter2"), text);
  }
});

test("what is missing is named by its reference", async () => {
  await mkdir(join(folder, "sub"), { mode: 0o700 });
  const nofile = await refused(loadCredentials({ file: "none.bmc" }, folder));
  assert.equal(nofile.problems[0]?.where, join(folder, "none.bmc"));
  const novar = await refused(loadCredentials({ env: "DUET_TEST_NOT_SET" }, folder));
  assert.match(novar.problems[0]?.where ?? "", /DUET_TEST_NOT_SET/);
  assert.equal((await refused(loadCredentials({ file: "sub" }, folder))).problems.length, 1);
  // Neither hangs on a FIFO nor reads a device for ever.
  await run(["mkfifo", join(folder, "fifo")]);
  for (const path of [join(folder, "fifo"), "/dev/zero"])
    assert.equal(
      (await refused(loadCredentials({ file: path }, folder))).problems[0]?.code,
      "DUET-E-CREDENTIALS-MISSING",
    );
});
