import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import { DuetError, exit, type Problem } from "../base/problem.ts";
import { readSite } from "../site/read.ts";
import { initCommand, nextSteps } from "./init-command.ts";
import { readFlags } from "./init-flags.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-init-"));
after(() => rm(folder, { recursive: true }));

const flags = {
  name: "shop-0042",
  sshKey: ["admin.pub"],
  machine: [
    "name=node1,address=192.0.2.11,address=2001:db8::11,bmc=https://203.0.113.11,credentials-file=node1.bmc",
    `name=node2,address=192.0.2.12,address=2001:db8::12,bmc=[2001:db8:2::12]:8443,credentials-env=NODE2,fingerprint=${"AB:".repeat(31)}CD`,
  ],
  json: true,
};

async function problems(work: Promise<unknown>): Promise<readonly Problem[]> {
  const error: unknown = await work.then(
    () => assert.fail("not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DuetError);
  assert.equal(error.status, exit.badInput);
  return error.problems;
}

test("flags alone give a file that is right, and is never overwritten unasked", async () => {
  const file = join(folder, "flags.yaml");
  assert.equal(await initCommand(file, { ...flags, api: "192.0.2.10" }, undefined), exit.ok);
  const { site } = readSite(await readFile(file, "utf8"), file);
  assert.equal(site?.name, "shop-0042");
  assert.deepEqual(site?.machines[1]?.bmc, {
    url: "https://[2001:db8:2::12]:8443",
    credentials: { env: "NODE2" },
    trust: { by: "fingerprint", sha256: `${"ab".repeat(31)}cd` },
  });
  assert.deepEqual(site?.api, { address: "192.0.2.10" });

  await writeFile(file, "mine");
  assert.equal((await problems(initCommand(file, flags, undefined)))[0]?.code, "DUET-E-INIT-EXISTS");
  assert.equal(await readFile(file, "utf8"), "mine");
  assert.equal(await initCommand(file, { ...flags, force: true }, undefined), exit.ok);
  assert.match(await readFile(file, "utf8"), /^# A site/);
});

test("everything that is missing is named at once, and nothing is written", async () => {
  const before = await readdir(folder);
  const found = await problems(initCommand(join(folder, "none.yaml"), {}, undefined));
  assert.deepEqual(
    found.map((problem) => problem.where),
    ["--name", "--ssh-key", "--machine", "--machine"],
  );
  assert.deepEqual(await readdir(folder), before);
  assert.match(found[2]?.fix ?? "", /name=node1,address=192\.0\.2\.11,.*node1\.bmc$/);
  assert.match(found[3]?.fix ?? "", /name=node2,address=192\.0\.2\.12,.*node2\.bmc$/);
});

test("a folder or device is never overwritten, and nothing is left beside it", async () => {
  const target = join(folder, "sub");
  await mkdir(target);
  const before = await readdir(folder);
  const [problem] = await problems(initCommand(target, { ...flags, force: true }, undefined));
  assert.equal(problem?.code, "DUET-E-INIT-WRITE");
  assert.equal(problem?.fix, `name a file in it: ${join(target, "site.yaml")}`);
  await problems(initCommand("/dev/null", { ...flags, force: true }, undefined));
  assert.ok((await stat("/dev/null")).isCharacterDevice());
  assert.deepEqual(await readdir(folder), before);
});

test("the next steps make the file of credentials private before the password is in it", () => {
  const { answers } = readFlags(flags);
  assert.ok(answers !== undefined);
  const said = nextSteps("sites/it's next.yaml", answers);
  assert.match(said, /\(umask 077; cat > sites\/node1\.bmc\)/);
  assert.ok(said.includes("duet check 'sites/it'\\''s next.yaml'"), said);
});

test("the template and the flags lead to a certificate that can be rendered", async () => {
  const file = join(folder, "trust.yaml");
  const [first = "", second = ""] = flags.machine;
  const pinned = second.replace(/fingerprint=.*/, "ca=bmc.crt");
  assert.equal(await initCommand(file, { ...flags, machine: [first, pinned] }, undefined), exit.ok);
  const text = await readFile(file, "utf8");
  assert.match(
    text,
    /# {3}openssl s_client -connect 203\.0\.113\.11:443 .* > node1\.crt\n +# trust: \{ ca: node1\.crt \}/,
  );
  assert.doesNotMatch(text, /fingerprint: /);
  assert.deepEqual(readSite(text, file).site?.machines[1]?.bmc.trust, { by: "ca", file: "bmc.crt" });
  const { problems: both } = readFlags({ ...flags, machine: [first, `${second},ca=bmc.crt`] });
  assert.equal(both[0]?.fix, "keep `ca`");
});

test("what is wrong with a flag is told at that flag, without what it holds", () => {
  const { problems: found } = readFlags({
    name: "Shop",
    sshKey: ["admin.pub"],
    topology: "single",
    machine: [
      "name=node1,adress=192.0.2.11,address=192.0.2.300,bmc=https://admin:hunter2@203.0.113.11,password=hunter2",
    ],
  });
  assert.deepEqual(
    found.map((problem) => `${problem.where} ${problem.code}`),
    [
      "--name DUET-E-SITE-NAME",
      "--machine 1 DUET-E-INIT-FLAGS",
      "--machine 1 address DUET-E-SITE-ADDRESS",
      "--machine 1 bmc DUET-E-SITE-PASSWORD",
      "--machine 1 DUET-E-INIT-FLAGS",
      "--machine 1 DUET-E-INIT-FLAGS",
    ],
  );
  assert.ok(!JSON.stringify(found).includes("hunter2"));
});

test("machines that do not go together are refused as the file would be", async () => {
  const file = join(folder, "twice.yaml");
  const [first = ""] = flags.machine;
  const found = await problems(initCommand(file, { ...flags, machine: [first, first] }, undefined));
  assert.ok(found.some((problem) => problem.code === "DUET-E-SITE-SHARED-BMC"));
  assert.ok(found.every((problem) => problem.where.includes("not written")));
  assert.ok(!(await readdir(folder)).includes("twice.yaml"));
});

/** Someone at a terminal, who answers each question in turn and then hangs up. */
function person(answers: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const waiting = [...answers];
  let shown = "";
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    // A prompt ends with a colon and a blank; what is written in between ends with a newline.
    if (!chunk.toString().endsWith(": ")) return;
    const answer = waiting.shift();
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  return { terminal: { input, output }, shown: () => shown, left: () => waiting.length };
}

test("questions are answered one by one, wrong answers asked for again", async () => {
  const file = join(folder, "asked.yaml");
  const someone = person([
    "Shop", // capitals: again
    "shop-0042",
    "", // dual-replica
    "admin.pub",
    "", // node1
    "192.0.2.300", // no address: again
    "192.0.2.11 2001:db8::11",
    "http://203.0.113.11", // not https: again
    "203.0.113.11",
    "", // node1.bmc
    "node1", // already used: again
    "node2",
    "192.0.2.12", // one link only: again
    "2001:db8::12, 192.0.2.12", // families swapped: again
    "192.0.2.12, 2001:db8:0::11", // the other machine's: again
    "192.0.2.12, 2001:db8::12",
    "203.0.113.11:443", // the other machine's BMC: again
    "192.0.2.11", // the other machine: again
    "203.0.113.12",
    "secrets/node2",
    "192.0.2.12", // a machine's: again
    "192.0.2.10",
  ]);
  assert.equal(await initCommand(file, { json: true }, someone.terminal), exit.ok);
  assert.equal(someone.left(), 0, someone.shown());
  const { site } = readSite(await readFile(file, "utf8"), file);
  assert.deepEqual(
    site?.machines.map((machine) => machine.addresses),
    [
      ["192.0.2.11", "2001:db8::11"],
      ["192.0.2.12", "2001:db8::12"],
    ],
  );
  assert.deepEqual(site?.machines[1]?.bmc.credentials, { file: "secrets/node2" });
  assert.deepEqual(site?.api, { address: "192.0.2.10" });
});

test("a terminal that is closed half-way leaves nothing behind", async () => {
  const file = join(folder, "closed.yaml");
  const someone = person(["shop-0042", "", "admin.pub", "node1"]);
  assert.equal((await problems(initCommand(file, {}, someone.terminal)))[0]?.code, "DUET-E-INIT-CLOSED");
  assert.ok(!(await readdir(folder)).includes("closed.yaml"));
});

test("a single site asks for one machine", async () => {
  const file = join(folder, "single.yaml");
  const someone = person(["edge", "single", "admin.pub", "edge1", "192.0.2.11", "203.0.113.11", "", ""]);
  assert.equal(await initCommand(file, { json: true }, someone.terminal), exit.ok);
  assert.equal(readSite(await readFile(file, "utf8"), file).site?.topology, "single");
});
