import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { Writable } from "node:stream";
import { DuetError, exit } from "../src/base/problem.ts";
import { Progress } from "../src/machine/progress.ts";
import { canHost, ensureHost, type HostFacts, missingPackages } from "./host.ts";
import { type HostPackage, hostPackages } from "./packages.ts";

const debian: HostFacts = {
  platform: "linux",
  arch: "x64",
  root: true,
  os: 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
  apt: true,
};

test("a Debian with root can host, and each thing that is missing is named", () => {
  assert.deepEqual(canHost(debian), { ok: true });
  assert.deepEqual(canHost({ ...debian, arch: "arm64" }), { ok: true });
  assert.deepEqual(canHost({ ...debian, os: 'ID=mint\nID_LIKE="ubuntu debian"\n' }), { ok: true });
  const why = (facts: Partial<HostFacts>): string => {
    const can = canHost({ ...debian, ...facts });
    return can.ok ? "ok" : can.why;
  };
  assert.match(why({ platform: "darwin" }), /Linux/);
  assert.match(why({ arch: "s390x" }), /s390x/);
  assert.match(why({ os: 'ID="fedora"\n' }), /Debian/);
  assert.match(why({ os: "NAME=debian\n" }), /Debian/);
  assert.match(why({ apt: false }), /apt/);
  assert.match(why({ root: false }), /root/);
});

test("every package has a reason, a proof and a name of its own", () => {
  assert.equal(new Set(hostPackages.map((p) => p.name)).size, hostPackages.length);
  for (const p of hostPackages) assert.ok(p.why.length > 10 && p.shows !== "", p.name);
});

test("an absolute path and a program on the path both show a package", () => {
  const packages: readonly HostPackage[] = [
    { name: "a", why: "", shows: process.execPath, for: "lab" },
    { name: "b", why: "", shows: "sh", for: "lab" },
    { name: "c", why: "", shows: "/nonexistent/file", for: "lab" },
    { name: "d", why: "", shows: "no-such-program", for: "lab" },
  ];
  assert.deepEqual(
    missingPackages(packages, "").map((p) => p.name),
    ["c", "d"],
  );
});

// A stand-in for apt-get: writes down how it was called, and installs what FAKE_APT_GIVES names.
let folder = "";
const path_before = process.env["PATH"];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-host-"));
  const lines = [
    "#!/bin/sh",
    'echo "$DEBIAN_FRONTEND $*" >> "$0.log"',
    'for p in $FAKE_APT_GIVES; do : > "$p"; done',
  ];
  await writeFile(join(folder, "apt-get"), `${lines.join("\n")}\n`);
  await chmod(join(folder, "apt-get"), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path_before}`;
});
after(async () => {
  process.env["PATH"] = path_before;
  delete process.env["FAKE_APT_GIVES"];
  await rm(folder, { recursive: true });
});

function collector(): { progress: Progress; said: () => string } {
  const said: string[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said.push(chunk.toString());
      done();
    },
  });
  return { progress: new Progress(out), said: () => said.join("") };
}

test("installs what is missing, once, and then says nothing", async () => {
  const packages: readonly HostPackage[] = [
    { name: "here", why: "", shows: "sh", for: "lab" },
    { name: "one", why: "", shows: join(folder, "one"), for: "lab" },
    { name: "two", why: "", shows: join(folder, "two"), for: "tests" },
  ];
  process.env["FAKE_APT_GIVES"] = `${join(folder, "one")} ${join(folder, "two")}`;
  const first = collector();
  await ensureHost(first.progress, { tests: true, packages, facts: debian });
  assert.match(first.said(), /Debian packages: one, two .* s\n/);
  const calls = (await readFile(join(folder, "apt-get.log"), "utf8")).trim().split("\n");
  assert.equal(calls.length, 2);
  assert.match(calls[0] ?? "", /^noninteractive .* update$/);
  assert.match(calls[1] ?? "", /^noninteractive .* install -y --no-install-recommends one two$/);
  const second = collector();
  await ensureHost(second.progress, { tests: true, packages, facts: debian });
  assert.equal(second.said(), "");
});

test("what only the tests or the building of Kubernetes need is left out elsewhere", async () => {
  const packages: readonly HostPackage[] = [
    { name: "x", why: "", shows: "/nonexistent", for: "tests" },
    { name: "y", why: "", shows: "/nonexistent", for: "kubernetes" },
  ];
  await ensureHost(collector().progress, { packages, facts: debian });
  const only = packages.slice(1);
  await ensureHost(collector().progress, { tests: true, packages: only, facts: debian });
  await assert.rejects(
    ensureHost(collector().progress, { kubernetes: true, packages: only, facts: debian }),
    /package y/,
  );
});

test("a package that installs but brings nothing is an error that names it", async () => {
  process.env["FAKE_APT_GIVES"] = "";
  const packages: readonly HostPackage[] = [{ name: "hollow", why: "", shows: "/nonexistent", for: "lab" }];
  await assert.rejects(ensureHost(collector().progress, { packages, facts: debian }), (error) => {
    assert.ok(error instanceof DuetError);
    assert.match(error.message, /\/nonexistent \(package hollow\)/);
    return true;
  });
});

test("where machines can't run it says so with exit status 3 and calls nothing", async () => {
  await assert.rejects(ensureHost(collector().progress, { facts: { ...debian, root: false } }), (error) => {
    assert.ok(error instanceof DuetError);
    assert.equal(error.status, exit.notHere);
    assert.equal(error.problems.length, 1);
    return true;
  });
});
