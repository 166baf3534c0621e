import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "../src/machine/clock.ts";
import { run } from "../src/machine/process.ts";
import { buildDuet } from "./build.ts";
import { checkoutFolder } from "./checkout.ts";
import { duet, duetOk, on, ownLabsFolder, traces, untilSeen } from "./testing.ts";

/** What a careless or unlucky user does to a lab. */
const labs = ownLabsFolder();
const name = "main";
const lab = (...args: readonly string[]) => duetOk("lab", ...args, "--name", name);

after(async () => {
  await duet(["lab", "down", "--name", name]);
});

test("a BMC that refuses the password at first boot: setup is not done, says why, and is done when it is mended", async () => {
  await lab("up", "--no-wait");
  await lab("bmc", "fault", "node2", "unauthorized");
  const journal = () => on(name, "node1", "journalctl", "-u", "duet-setup", "-o", "cat", "--no-pager");
  const why = /it refuses the credentials \(status 401\)/;
  // A machine that boots may not let us in yet.
  await untilSeen("setup saying what it waits for", async () => why.test(await journal()), {
    deadline_ms: 120_000,
    every_ms: 500,
  });
  assert.equal(
    (await duet(["lab", "run", "node1", "--name", name, "--", "test", "-e", "/var/lib/duet/setup-done"]))
      .status,
    1,
  );
  await lab("bmc", "fault", "node2", "none");
  await until(
    "setup done",
    async () =>
      (await duet(["lab", "run", "node1", "--name", name, "--", "test", "-e", "/var/lib/duet/setup-done"]))
        .status === 0,
    { deadline_ms: 180_000, every_ms: 500 },
  );
});

test("only root can look into a lab: it holds passwords", async () => {
  assert.equal((await stat(join(labs, name))).mode & 0o777, 0o700);
  assert.equal((await stat(join(labs, name, "machines", "node1", "disk.img"))).mode & 0o777, 0o600);
});

test("cuts made at the same time are all made", async () => {
  const cuts = ["link1", "link2", "mgmt", "node1:link1", "node2:link2", "node1:bmc"];
  await Promise.all(cuts.map((wire) => lab("wire", "cut", wire)));
  const status: unknown = JSON.parse(await lab("status", "--json"));
  assert.ok(typeof status === "object" && status !== null && "cuts" in status && Array.isArray(status.cuts));
  assert.equal(status.cuts.length, cuts.length);
  await lab("wire", "heal", "all");
});

test("a cut that means another direction is refused, not guessed", async () => {
  const { status, stderr } = await duet([
    "lab",
    "wire",
    "cut",
    "node1:link1",
    "--from",
    "node2",
    "--name",
    name,
  ]);
  assert.equal(status, 2);
  assert.match(stderr, /what node1 sends there is lost/);
});

test("what somebody runs on a machine hangs with it", async () => {
  const ticking = spawn(
    join(checkoutFolder(), "duet"),
    ["lab", "run", "node2", "--name", name, "--", "sh", "-c", "while :; do echo tick; sleep 0.1; done"],
    {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    },
  );
  const ended = once(ticking, "exit");
  let ticks = 0;
  ticking.stdout.on("data", () => {
    ticks += 1;
  });
  await until("ticks", () => Promise.resolve(ticks > 3), { deadline_ms: 20_000 });
  await lab("power", "hang", "node2");
  const at = ticks;
  await duetOk("lab", "status", "--name", name);
  await duetOk("lab", "status", "--name", name);
  assert.ok(ticks - at <= 1, `${ticks - at} ticks on a hung machine`);
  await lab("power", "cut", "node2");
  await ended;
});

test("a lab whose machines have no power is still a lab: up does not wipe it", async () => {
  await lab("feed", "off", "node1");
  await lab("feed", "off", "node2");
  const { status, stderr } = await duet(["lab", "up", "--name", name]);
  assert.equal(status, 1);
  assert.match(stderr, /DUET-E-LAB-EXISTS/);
});

test("what runs at the seat goes with the lab", async () => {
  await on(name, "seat", "sh", "-c", "setsid sleep 3600 > /dev/null 2>&1 &");
  await lab("down");
  assert.deepEqual(
    (await traces()).filter((t) => !t.startsWith("link")),
    [],
  );
});

test("Ctrl-C in lab up says what is left, and takes what it started with it", async () => {
  const up = spawn(join(checkoutFolder(), "duet"), ["lab", "up", "--name", name], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  up.stderr.on("data", (chunk: Buffer) => {
    const before = said;
    said += chunk.toString();
    if (!/✓ disks/.test(before) && /✓ disks/.test(said)) up.kill("SIGINT");
  });
  await once(up, "exit");
  assert.equal(up.exitCode, 130);
  assert.match(said, /interrupted: .*duet lab down --name main/);
  await lab("down");
});

test("labs reached by a symbolic link are taken away whole", async () => {
  const real = await mkdtemp(join(tmpdir(), "duet-test-labs-real-"));
  const link = `${real}-link`;
  await symlink(real, link);
  const env = { DUET_LABS: link };
  const there = async (...args: readonly string[]) =>
    await run([join(checkoutFolder(), "duet"), "lab", ...args, "--name", name], {
      env,
      accept: "any",
      deadline_ms: 60_000,
    });
  assert.equal((await there("up", "--no-wait")).status, 0);
  assert.equal((await there("down")).status, 0);
  await rm(link);
  await rm(real, { recursive: true });
  await mkdir(`${real} blank`);
  const odd = await run([join(checkoutFolder(), "duet"), "lab", "up", "--name", name], {
    env: { DUET_LABS: `${real} blank` },
    accept: "any",
  });
  assert.equal(odd.status, 2);
  await rm(`${real} blank`, { recursive: true });
});

test("without root, and from the single executable, lab commands say what they need, with status 3", async () => {
  const executable = await buildDuet();
  for (const args of [
    ["lab", "up"],
    ["lab", "down"],
    ["lab", "power", "cut", "node1"],
    ["lab", "status"],
  ]) {
    const alone = await run([executable, ...args], { accept: "any" });
    assert.equal(alone.status, 3, args.join(" "));
    assert.match(alone.stderr, /checkout/);
  }
  const copy = await mkdtemp(join(tmpdir(), "duet-nobody-"));
  await run(["chmod", "755", copy]);
  await run(["cp", executable, join(copy, "duet")]);
  const demo = await run(
    ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", join(copy, "duet"), "demo"],
    { accept: "any", env: { HOME: copy } },
  );
  assert.equal(demo.status, 0, demo.stderr);
  assert.match(demo.stdout, /^Can't run machines here: .*root/);
  await rm(copy, { recursive: true });
});
