import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { paths } from "../../base/paths.ts";
import { run } from "../../machine/process.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { cibConfiguration } from "../cib.ts";
import { podsOperations } from "../policy.ts";
import { type Service, withServices } from "../services.ts";
import { podsAgentFiles, podsMetadata } from "./pods-end.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-pods-"));
after(() => rm(folder, { recursive: true }));

function constraintsOf(more: string, has: readonly Service[]): string {
  const { site } = readSite(`${minimal}${more}`, "site.yaml");
  assert.ok(site !== undefined);
  const installed = new Map(site.machines.map(({ name }) => [name, new Set(has)]));
  const { xml } = withServices(cibConfiguration(site, new Map()).xml, site, installed);
  assert.equal(xml.includes('type="pods"'), xml.includes("duet-pods-clone"));
  return xml.slice(xml.indexOf("<constraints>"), xml.indexOf("</constraints>"));
}

test("only stops are ordered, and only where both happen anyway: nothing waits for a start, or starts and stops for another", () => {
  const constraints = constraintsOf('kubernetes: {}\napi: { address: "192.0.2.10" }\n', ["crio", "kubelet"]);
  const orders = constraints.match(/<rsc_order .*duet-pods.*>/g) ?? [];
  assert.deepEqual(
    orders.map((each) =>
      /first="(\S+)" first-action="stop" then="(\S+)" then-action="stop"/.exec(each)?.slice(1),
    ),
    [
      ["duet-api", "duet-pods-clone"],
      ["kubelet-clone", "duet-pods-clone"],
      ["duet-pods-clone", "crio-clone"],
      ["duet-pods-clone", "etcd-clone"],
    ],
  );
  for (const each of orders) assert.match(each, /kind="Optional" symmetrical="false"/);
});

test("without an address it is not named, and without a control plane of duet's nobody's pods are ended", () => {
  assert.doesNotMatch(constraintsOf("kubernetes: {}\n", ["crio", "kubelet"]), /duet-api/);
  for (const [more, has] of [
    ["", ["crio", "kubelet"]],
    ["kubernetes: {}\n", ["crio"]],
  ] as const)
    assert.doesNotMatch(constraintsOf(more, has), /duet-pods/);
});

test("the agent does nothing but at a stop of what was started, and a stop never fails", async () => {
  const [agent, metadata] = podsAgentFiles;
  assert.ok(agent !== undefined && metadata !== undefined);
  const log = join(folder, "log");
  await writeFile(join(folder, "duet"), `#!/bin/sh\necho "$@" >> ${log}\nexit 1\n`, { mode: 0o755 });
  const script = join(folder, "pods");
  const text = String(agent.content)
    .replaceAll(paths.run, join(folder, "run"))
    .replaceAll("/usr/local/bin/duet", join(folder, "duet"));
  await writeFile(script, text, { mode: 0o755 });
  const statuses: number[] = [];
  for (const action of ["monitor", "stop", "start", "monitor", "start", "stop", "monitor", "stop", "promote"])
    statuses.push((await run([script, action], { accept: "any" })).status);
  assert.deepEqual(statuses, [7, 0, 0, 0, 0, 0, 7, 0, 3]);
  assert.equal(await readFile(log, "utf8"), "agent pods stop\n");
  assert.ok(String(agent.content).includes(`cat ${metadata.path}`));
  for (const { name, timeout_s } of podsOperations)
    assert.ok(podsMetadata.includes(`<action name="${name}" timeout="${timeout_s}s"/>`));
});
