import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "../base/secret.ts";
import { readSite } from "../site/read.ts";
import { everything, minimal } from "../site/samples.ts";
import type { Site } from "../site/site.ts";
import { alertFiles, alertUnits } from "./alerts.ts";
import { cibConfiguration } from "./cib.ts";
import { machineSite } from "./machine-site.ts";

function siteOf(text: string): Site {
  const { site } = readSite(text, "site.yaml");
  assert.ok(site !== undefined);
  return site;
}

const site = siteOf(everything);
const materials = {
  secrets: new Map([
    ["secrets/hook.headers", new Secret("Authorization: Bearer s3cr3t\n")],
    ["secrets/chat.url", new Secret("https://chat.example/T0K3N")],
  ]),
  authorities: new Map([["hook-ca.pem", "PEM\n"]]),
};

test("a site that tells nobody gets no agent, no units and no alert", () => {
  const quiet = siteOf(minimal);
  assert.deepEqual(alertFiles(quiet, materials), []);
  assert.deepEqual(alertUnits(quiet), []);
  assert.doesNotMatch(cibConfiguration(quiet, new Map()).xml, /alert/);
});

test("Pacemaker calls the agent for nodes, fencing and resources, and for attributes it does not", () => {
  const { xml, mark } = cibConfiguration(site, new Map());
  const [agent] = alertFiles(site, materials);
  assert.ok(agent?.mode === 0o755 && xml.includes(`<alert id="duet-alerts" path="${agent.path}">`));
  assert.deepEqual(
    [...xml.matchAll(/<(select_\w+)\/>/g)].map(([, name]) => name),
    ["select_nodes", "select_fencing", "select_resources"],
  );
  assert.notEqual(mark, cibConfiguration({ ...site, alerts: [] }, new Map()).mark);
  assert.doesNotMatch(xml, /s3cr3t|T0K3N|example\.org|recipient/);
});

test("secrets are in files that only root may read, and nowhere else", () => {
  const files = alertFiles(site, materials);
  const secret = files.filter(({ content }) => /s3cr3t|T0K3N/.test(String(content)));
  assert.deepEqual(
    secret.map(({ path, mode }) => [path, mode]),
    [
      ["/etc/duet/alerts/1.headers", 0o600],
      ["/etc/duet/alerts/2.url", 0o600],
    ],
  );
  assert.equal(files.find(({ path }) => path === "/etc/duet/alerts/1.crt")?.content, "PEM\n");
});

test("the machine's own site file names these files, and is right", () => {
  const own = siteOf(machineSite(site));
  assert.deepEqual(own.alerts, [
    {
      by: "webhook",
      url: "https://alerts.example/duet",
      headers: "/etc/duet/alerts/1.headers",
      trust: { by: "ca", file: "/etc/duet/alerts/1.crt" },
    },
    { by: "webhook", url: { file: "/etc/duet/alerts/2.url" }, trust: { by: "system" } },
    ...site.alerts.slice(2),
  ]);
});

test("what the agent drops is what the path unit waits for, and the folder is made at boot", () => {
  const files = alertFiles(site, materials);
  const text = (end: string) => String(files.find(({ path }) => path.endsWith(end))?.content);
  const watched = alertUnits(site)[0]?.contents ?? "";
  const [, drop = ""] = /^PathExistsGlob=(.*)\/\*\.event$/m.exec(watched) ?? [];
  assert.match(text("duet-alert"), new RegExp(`^cd ${drop} `, "m"));
  assert.match(text(".conf"), new RegExp(`^d ${drop} 0770 root haclient -$`, "m"));
  const [, raised = ""] = /^PathExistsGlob=(.*)\/\*\.json$/m.exec(watched) ?? [];
  assert.match(text(".conf"), new RegExp(`^d ${raised} 0700 root root -$`, "m"));
});
