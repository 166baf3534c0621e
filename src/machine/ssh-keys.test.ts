import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError, exit } from "../base/problem.ts";
import { loadSshKeys } from "./ssh-keys.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-keys-"));
after(() => rm(folder, { recursive: true }));
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBB admin@example";

async function load(text: string): Promise<readonly string[]> {
  await writeFile(join(folder, "admin"), text);
  return await loadSshKeys("admin", folder);
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => assert.fail("not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DuetError);
  assert.equal(error.status, exit.badInput);
  assert.equal(error.problems[0]?.code, "DUET-E-SSH-KEY");
  return JSON.stringify(error.problems);
}

test("keys come line by line, without comments, blank lines and the line ends of other systems", async () => {
  assert.deepEqual(await load(`${key}\r\n# another\n\n  ${key}\n`), [key, key]);
  const ecdsa = `ecdsa-sha2-nistp256 ${Buffer.from("\0\0\0\x13ecdsa-sha2-nistp256…").toString("base64")}`;
  assert.deepEqual(await load(ecdsa), [ecdsa]);
});

test("a private key is refused as such, and not a byte of it is repeated", async () => {
  for (const text of [
    "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n",
    "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nhunter2\n",
    `${key}\n-----BEGIN PRIVATE KEY-----\nhunter2\n`,
  ]) {
    const said = await refused(load(text));
    assert.match(said, /private key/);
    assert.ok(!said.includes("hunter2"));
  }
});

test("what sshd would skip is refused: junk, another type than the key says, an option in front", async () => {
  const rsa = key.replace("ssh-ed25519", "ssh-rsa");
  for (const text of ["", "hunter2\n", `${key}\nhunter2\n`, "ssh-ed25519 hunter2", rsa, `restrict ${key}`])
    assert.ok(!(await refused(load(text))).includes("hunter2"), text);
});

test("a file that is missing, and a folder, are problems like the others", async () => {
  await refused(loadSshKeys("none.pub", folder));
  await refused(loadSshKeys(".", folder));
});
