import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "../../src/machine/clock.ts";
import { run, type RunResult } from "../../src/machine/process.ts";
import { validatorExceptions } from "./validator-exceptions.ts";
import { pythonWithClients } from "./clients/venv.ts";
import { forcedOffs_ms } from "./power/machine.ts";
import { imageRoot } from "../testing-image.ts";
import { bench, FakeFeed, FakeMetal, password, testPdu, testTls, username } from "./testing.ts";

// Clients that nobody here wrote. They need Python's venv and pip, and fence_redfish the lab's image.

const folder = await mkdtemp(join(tmpdir(), "duet-clients-"));
after(() => rm(folder, { recursive: true }));
const ca = join(folder, "ca.pem");
await writeFile(ca, (await testTls()).cert);
// Python's requests prefers this variable to what its caller says.
const env = { REQUESTS_CA_BUNDLE: ca, PYTHONDONTWRITEBYTECODE: "1", NO_COLOR: "1" };
const python = await pythonWithClients();
const script = (name: string): string => join(import.meta.dirname, "clients", name);
const urlOf = (port: number): string => `https://127.0.0.1:${port}`;
const times = { off_ms: 50, on_ms: 50, manager_reset_ms: 50 };

async function useWith(name: string): Promise<string> {
  await using lab = await bench({ times });
  const input = JSON.stringify({ url: urlOf(lab.bmc.port), username, password, ca });
  const { stdout } = await run([python, script(name)], { input, env, deadline_ms: 60_000 });
  assert.deepEqual(
    lab.log.filter((line) => forcedOffs_ms(line).length === 0),
    [],
  );
  return stdout.trim();
}

test("sushy powers, boots from the network once, inserts and ejects", async () => {
  assert.equal(await useWith("use_sushy.py"), "ok");
});

test("the DMTF's redfish client reads, writes by ETag and resets", async () => {
  assert.equal(await useWith("use_redfish.py"), "ok");
});

interface Verdict {
  readonly failed: ReadonlySet<string>;
  readonly passed: number;
}

async function validate(port: number): Promise<Verdict> {
  const report = await mkdtemp(join(folder, "report-"));
  const config = join(report, "config.ini");
  const lines = ["[Authentication]", `user = ${username}`, `password = ${password}`];
  await writeFile(config, lines.join("\n"), { mode: 0o600 });
  const trust = ["--ca-bundle", ca, "--report-dir", report, "--report-type", "tsv"];
  await run([python, script("validator.py"), "--config", config, "--rhost", urlOf(port), ...trust], {
    env,
    accept: [0, 1],
    deadline_ms: 120_000,
  });
  const name = (await readdir(report)).find((file) => file.endsWith(".tsv"));
  assert.ok(name !== undefined, "the validator wrote no report");
  const rows = (await readFile(join(report, name), "utf8")).split("\n").map((line) => line.split("\t"));
  const of = (wanted: string) => rows.filter(([, , , , result]) => result === wanted);
  return { failed: new Set(of("FAIL").map(([assertion]) => assertion ?? "")), passed: of("PASS").length };
}

test("the DMTF protocol validator finds no failed requirement but the listed ones", async () => {
  await using lab = await bench({ times, metal: new FakeMetal(true) });
  const pdu = await testPdu(join(folder, "pdu"), "node1", new FakeFeed(), { times });
  const verdicts: readonly Verdict[] = [await validate(lab.bmc.port), await validate(pdu.port)];
  await pdu.close();
  // A run that could not log in tests little and fails little: count what it really looked at.
  for (const { passed } of verdicts) assert.ok(passed > 250, `only ${passed} checks passed`);
  const failed = verdicts.flatMap((verdict) => [...verdict.failed]);
  assert.deepEqual([...new Set(failed)].toSorted(), Object.keys(validatorExceptions).toSorted());
});

test("fence_redfish: status, monitor, off, on, reboot", async () => {
  const root = await imageRoot();
  await using lab = await bench({ times, metal: new FakeMetal(true) });
  const fence = async (action: string): Promise<RunResult> => {
    const options = {
      action,
      ip: "127.0.0.1",
      ipport: lab.bmc.port,
      username,
      password,
      ssl_insecure: 1,
      power_timeout: 20,
    };
    const input = Object.entries(options).map(([name, value]) => `${name}=${value}\n`);
    return await run(["chroot", root, "/usr/sbin/fence_redfish"], {
      input: input.join(""),
      env,
      accept: "any",
      deadline_ms: 60_000,
    });
  };
  // 2 is how a fence agent says Off.
  const steps: readonly [action: string, status: number, powered: boolean][] = [
    ["status", 0, true],
    ["monitor", 0, true],
    ["off", 0, false],
    ["status", 2, false],
    ["off", 0, false],
    ["monitor", 0, false],
    ["on", 0, true],
    ["on", 0, true],
    ["reboot", 0, true],
  ];
  for (const [action, status, powered] of steps) {
    const result = await fence(action);
    assert.equal(result.status, status, `${action}: ${result.stdout}${result.stderr}`);
    // It takes PoweringOn for On and comes back early; PoweringOff it takes for On too, so its Off is Off.
    if (powered) await until("the machine is on", async () => lab.metal.powered, { deadline_ms: 5_000 });
    assert.equal(lab.metal.powered, powered, action);
  }
  assert.deepEqual(lab.metal.done, ["cut", "on", "cut", "on"]);
});
