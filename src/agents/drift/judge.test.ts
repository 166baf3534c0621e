import assert from "node:assert/strict";
import { test } from "node:test";
import { corosyncDrift, pacemakerDrift } from "./judge.ts";
import { cibConfiguration } from "../../render/cib.ts";
import { corosyncConf } from "../../render/corosync.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";

const { site } = readSite(minimal, "site.yaml");
assert.ok(site !== undefined);
const { xml } = cibConfiguration(site, new Map());
/** As Pacemaker holds it: with properties of its own, and a constraint that a person made. */
const cibOf = (configuration: string): string =>
  `<cib epoch="7">${configuration
    .replace(
      "<crm_config>",
      '<crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair id="cib-bootstrap-options-dc-version" name="dc-version" value="3.0.0"/><nvpair id="m" name="maintenance-mode" value="true"/></cluster_property_set>',
    )
    .replace(
      "<constraints>",
      '<constraints><rsc_location id="theirs" rsc="x" node="node1" score="1"/>',
    )}<status/></cib>`;
const drift = (change: (configuration: string) => string) => pacemakerDrift(cibOf(change(xml)), xml);
const setTo = (name: string, value: string) => (configuration: string) =>
  configuration.replace(new RegExp(`(name="${name}" value=")[^"]*`), `$1${value}`);
const within = (tag: string, more: string) => (configuration: string) =>
  configuration.replace(tag, `${tag}${more}`);

test("what duet loaded, and what others added beside it, is no drift", () => {
  assert.deepEqual(
    drift((configuration) => configuration),
    [],
  );
  // Loaded with the services that the machines turned out to have: another mark.
  assert.deepEqual(drift(setTo("duet-configuration", "0123456789abcdef")), []);
});

test("each setting that somebody changed is told, with what duet sets", () => {
  for (const [name, value, wanted] of [
    ["stonith-enabled", "false", "true"],
    ["startup-fencing", "false", "true"],
    ["no-quorum-policy", "ignore", "stop"],
    ["stonith-max-attempts", "10", "INFINITY"],
    ["stonith-action", "reboot", "off"],
  ] as const)
    assert.deepEqual(drift(setTo(name, value)), [`${name} is ${value}, and duet sets ${wanted}`]);
  assert.deepEqual(drift(setTo("promotable", "false")), [
    "etcd-clone: promotable is false, and duet sets true",
  ]);
  assert.deepEqual(
    drift((configuration) => configuration.replace(/<nvpair[^>]*name="stonith-enabled"[^>]*>/, "")),
    ["stonith-enabled is not set, and duet sets true"],
  );
  assert.deepEqual(
    drift((configuration) => configuration.replace(/(id="etcd-stop"[^>]*timeout=")90s/, "$120s")),
    ["etcd-stop: timeout is 20s, and duet sets 90s"],
  );
});

test("a fence device or a constraint that is gone is told", () => {
  const found = drift((configuration) =>
    configuration.replace(/ *<primitive id="fence-node2"[^]*?<\/primitive>\n/, ""),
  );
  assert.ok(found.includes("primitive fence-node2 is gone"), found.join("\n"));
  assert.deepEqual(
    drift((configuration) => configuration.replace(/ *<rsc_location id="fence-node1-elsewhere"[^>]*>\n/, "")),
    ["rsc_location fence-node1-elsewhere is gone"],
  );
});

test("what was added is told where it takes a safeguard away", () => {
  const pair = (name: string, value: string) => `<nvpair id="new-${name}" name="${name}" value="${value}"/>`;
  const meta = '<meta_attributes id="etcd-clone-meta">';
  assert.match(drift(within(meta, pair("requires", "nothing")))[0] ?? "", /^etcd-clone: requires=nothing: /);
  assert.match(drift(within(meta, pair("is-managed", "false")))[0] ?? "", /^etcd-clone: is-managed=false/);
  assert.deepEqual(drift(within(meta, pair("requires", "fencing"))), []);
  const properties = '<cluster_property_set id="duet-policy">';
  assert.match(
    drift(within(properties, pair("stonith-watchdog-timeout", "-1")))[0] ?? "",
    /^stonith-watchdog-timeout=-1: /,
  );
  assert.match(
    drift(within(properties, pair("priority-fencing-delay", "15s")))[0] ?? "",
    /^priority-fencing-delay=15s: /,
  );
  assert.deepEqual(drift(within(properties, pair("stonith-enabled", "false"))), [
    "stonith-enabled is set a second time, to false, and duet sets true",
  ]);
});

test("how somebody runs a resource of his own is his affair; what is around duet's, or counts for all, is not", () => {
  const meta = (id: string, name: string, value: string) =>
    `<meta_attributes id="${id}-meta"><nvpair id="${id}-${name}" name="${name}" value="${value}"/></meta_attributes>`;
  const primitive = (id: string, more: string) =>
    `<primitive id="${id}" class="ocf" provider="heartbeat" type="Dummy">${more}</primitive>`;
  const theirs = [
    primitive("theirs", meta("theirs", "is-managed", "false")),
    `<clone id="their-clone">${meta("their-clone", "requires", "nothing")}${primitive("their-other", "")}</clone>`,
  ];
  assert.deepEqual(drift(within("<resources>", theirs.join(""))), []);
  // Loaded by setup, and not in what was rendered.
  const kubelet = `<clone id="kubelet-clone">${primitive("kubelet", meta("kubelet", "is-managed", "false"))}</clone>`;
  assert.deepEqual(drift(within("<resources>", kubelet)), [
    "kubelet: is-managed=false: Pacemaker neither starts nor stops it",
  ]);
  const around = (configuration: string) =>
    configuration.replace(
      /<clone id="etcd-clone">[^]*?<\/clone>/,
      (clone) => `<group id="around">${meta("around", "is-managed", "false")}${clone}</group>`,
    );
  assert.deepEqual(drift(around), ["around: is-managed=false: Pacemaker neither starts nor stops it"]);
  for (const tag of ['<meta_attributes id="duet-defaults">', '<cluster_property_set id="duet-policy">'])
    assert.match(
      drift(within(tag, '<nvpair id="new" name="is-managed" value="false"/>'))[0] ?? "",
      /is-managed=false: /,
    );
});

test("a configuration that is another one altogether is told in some lines", () => {
  const empty = "<configuration><crm_config/><resources/><constraints/></configuration>";
  const found = pacemakerDrift(`<cib>${empty}</cib>`, xml);
  assert.equal(found.length, 9);
  assert.match(found.at(-1) ?? "", /^and \d+ more settings of Pacemaker$/);
});

test("Corosync runs with two_node and wait_for_all, and with nothing that decides beside duet", () => {
  const conf = corosyncConf(site);
  assert.deepEqual(corosyncDrift(["2Node", "Quorate", "WaitForAll"], conf), []);
  assert.match(corosyncDrift(["2Node", "Quorate"], conf)[0] ?? "", /^Corosync runs without wait_for_all \(a/);
  assert.match(corosyncDrift(["Quorate", "WaitForAll"], conf)[0] ?? "", /^Corosync runs without two_node/);
  for (const flag of ["LastManStanding", "AutoTieBreaker", "AllowDownscale", "Qdevice"])
    assert.equal(corosyncDrift(["2Node", "WaitForAll", flag], conf).length, 1, flag);
});

test("what corosync.conf says counts too: most of it is taken at the next start only", () => {
  const conf = corosyncConf(site);
  const drift = (file: string) => corosyncDrift(["2Node", "WaitForAll"], file);
  for (const [file, what] of [
    [conf.replace("wait_for_all: 1", "wait_for_all: 0"), /does not set wait_for_all/],
    [conf.replace(/.*two_node: 1\n/, ""), /does not set two_node/],
    [conf.replace("two_node: 1", "two_node: 1\n  last_man_standing: 1"), /has last_man_standing/],
    [conf.replace("two_node: 1", "two_node: 1\n  auto_tie_breaker: 1"), /has auto_tie_breaker/],
    [conf.replace("two_node: 1", "two_node: 1\n  device {\n    model: net\n  }"), /has device/],
  ] as const) {
    assert.notEqual(file, conf);
    assert.equal(drift(file).length, 1, drift(file).join("\n"));
    assert.match(drift(file)[0] ?? "", what);
  }
  assert.deepEqual(drift(conf.replace("two_node: 1", "two_node: 1\n  last_man_standing: 0")), []);
});
