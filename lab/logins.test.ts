import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { password, username } from "./bmc/testing.ts";
import { twoBmcs } from "./bmc/testing-two.ts";
import { judgeLogins, tryLogins } from "./logins.ts";

const right = `${username}:${password}`;
const wrong = `${username}:n$PATH "x" 'it\`s\` \\ #2; :ö`;

test("a BMC is asked with each password, and one that is not there is no refusal", async () => {
  await using two = await twoBmcs();
  assert.deepEqual(await tryLogins(two.site, two.folder, "node1", [wrong, right]), ["refused", "taken"]);
  await assert.rejects(tryLogins(two.site, two.folder, "node3", [right]), /there is no machine node3/);
  const nobody = two.site.machines.map((each) => ({
    ...each,
    bmc: { ...each.bmc, url: "https://127.0.0.1:9" },
  }));
  const [machine, other] = nobody;
  assert.ok(machine !== undefined && other !== undefined);
  const [gone = ""] = await tryLogins({ ...two.site, machines: [machine, other] }, two.folder, "node1", [
    wrong,
  ]);
  assert.ok(gone !== "refused" && gone !== "taken", gone);
});

test("at the seat each line of standard input is tried", async () => {
  await using two = await twoBmcs();
  const bmc = (name: "node1" | "node2") =>
    `{ address: "https://127.0.0.1:${two.bmcs[name].bmc.port}", credentials: { file: bmc.credentials }, trust: { ca: ca.crt } }`;
  const text = `name: shop-0042
topology: dual-replica
ssh_key: admin.pub
machines:
  - { name: node1, addresses: [192.0.2.11], bmc: ${bmc("node1")} }
  - { name: node2, addresses: [192.0.2.12], bmc: ${bmc("node2")} }
`;
  await writeFile(join(two.folder, "site.yaml"), text);
  const program = join(import.meta.dirname, "login-main.ts");
  const node = `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${program}" node2`;
  const { stdout } = await run(["sh", "-c", `cd "${two.folder}" && ${node}`], {
    input: `${wrong}\n${right}\n`,
    deadline_ms: 30_000,
  });
  assert.deepEqual(JSON.parse(stdout), ["refused", "taken"]);
});

test("rotated is what refuses the old password and takes the new one", () => {
  assert.ok(judgeLogins(["refused", "taken"]).ok);
  for (const ends of [["taken", "refused"], ["taken", "taken"], ["refused", "refused"], ["refused"], []])
    assert.ok(!judgeLogins(ends).ok, ends.join());
  assert.match(judgeLogins(["taken", "refused"]).seen, /the old password: taken; the new one: refused/);
});
