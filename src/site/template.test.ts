import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "./read.ts";
import { type Answers, siteTemplate } from "./template.ts";

const machine = (number: number): Answers["machines"][number] => ({
  name: `node${number}`,
  addresses: [`192.0.2.1${number}`],
  bmc: `https://203.0.113.1${number}`,
  credentials: { file: `node${number}.bmc` },
});
const answers: Answers = {
  name: "shop",
  topology: "dual-replica",
  ssh_keys: ["admin.pub"],
  machines: [machine(1), machine(2)],
};
const written = (more: Partial<Answers>) => {
  const { site, problems } = readSite(siteTemplate({ ...answers, ...more }), "site.yaml");
  assert.deepEqual(problems, []);
  assert.ok(site !== undefined);
  return site;
};

test("an address for the API comes with the control plane that it follows", () => {
  const { api, kubernetes } = written({ api: "192.0.2.10" });
  assert.deepEqual(api, { address: "192.0.2.10" });
  assert.equal(kubernetes?.pods, "10.244.0.0/16");
});

test("without one both are there as comments, to be switched on together", () => {
  const { api, kubernetes } = written({});
  assert.deepEqual([api, kubernetes], [undefined, undefined]);
  const text = siteTemplate(answers);
  assert.match(text, /^# api: \{ address: 192\.0\.2\.10 \}$/m);
  assert.match(text, /^# kubernetes: \{\}$/m);
  const on = readSite(text.replaceAll(/^# (api|kubernetes): /gm, "$1: "), "site.yaml");
  assert.deepEqual(on.problems, []);
  assert.ok(on.site?.api !== undefined && on.site.kubernetes !== undefined);
});

test("networks of pods and services that are in use where the machines are give way to others", () => {
  const at = (network: string): Answers["machines"] =>
    [1, 2].map((number) => ({ ...machine(number), addresses: [`${network}.1${number}`] }));
  for (const network of ["10.96.0", "10.244.7"]) {
    const { kubernetes } = written({ machines: at(network), api: `${network}.10` });
    assert.deepEqual([kubernetes?.pods, kubernetes?.services], ["172.20.0.0/16", "172.21.0.0/16"], network);
  }
  const machines = at("10.96.0").map((each, index) => ({ ...each, bmc: `https://172.20.0.${index + 1}` }));
  const { kubernetes } = written({ machines, api: "10.96.0.10" });
  assert.deepEqual([kubernetes?.pods, kubernetes?.services], ["172.21.0.0/16", "192.168.0.0/17"]);
});
