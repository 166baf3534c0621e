import assert from "node:assert/strict";
import { test } from "node:test";
import { minimal } from "../site/samples.ts";
import { readSite } from "../site/read.ts";
import { addressAgent, addressAgentFiles, addressMetadata } from "./address-agent.ts";
import { addressResource } from "./api-address.ts";
import { addressOperations } from "./policy.ts";

/** What it does is seen with two machines and a neighbour: lab/api-address.test.ts. */

const [agent, metadata] = addressAgentFiles;

test("Pacemaker finds the agent where the configuration says, and its metadata beside it", () => {
  const text = `${minimal}kubernetes: {}\napi: { address: 192.0.2.10 }\n`;
  const { site } = readSite(text, "site.yaml");
  assert.ok(site !== undefined);
  const [, provider, type] = /provider="(\w+)" type="(\w+)"/.exec(addressResource(site).join("")) ?? [];
  assert.equal(addressAgent, `/usr/lib/ocf/resource.d/${provider}/${type}`);
  assert.equal(agent?.path, addressAgent);
  assert.ok(agent?.content.toString().includes(`meta-data) exec cat ${metadata?.path} ;;`));
  assert.equal(metadata?.content, addressMetadata);
});

test("the metadata has each action that the agent knows, and the times of the configuration", () => {
  const actions = [...addressMetadata.matchAll(/<action name="([\w-]+)"/g)].map(([, name]) => name);
  const known = [...(agent?.content.toString() ?? "").matchAll(/^ {2}([a-z-]+)\)/gm)].map(([, name]) => name);
  assert.deepEqual(new Set(actions), new Set(known));
  for (const { name, timeout_s } of addressOperations)
    assert.ok(addressMetadata.includes(`<action name="${name}" timeout="${timeout_s}s"`), name);
  assert.match(addressMetadata, /<parameter name="ip" required="1"/);
});
