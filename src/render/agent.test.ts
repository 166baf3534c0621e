import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import { agentFiles, agentMetadata, agentUnits } from "./agent.ts";
import { cibConfiguration } from "./cib.ts";

/** Name, time-out, interval and role of each operation, whatever stands around them. */
function operationsIn(xml: string, element: "op" | "action"): readonly string[] {
  const value = (text: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return [...xml.matchAll(new RegExp(`<${element} [^>]*>`, "g"))].map(([text]) =>
    [
      value(text, "name"),
      value(text, "timeout"),
      value(text, "interval").replace(/^0s$/, ""),
      value(text, "role"),
    ].join(" "),
  );
}

test("the CIB runs the agent with the time-outs that its metadata names, and a monitor of its own for each role", () => {
  const { site } = readSite(minimal, "site.yaml");
  assert.ok(site !== undefined);
  const [, clone = ""] = cibConfiguration(site, new Map()).xml.split("<clone ");
  const configured = operationsIn(clone.split("</clone>")[0] ?? "", "op");
  const named = operationsIn(agentMetadata, "action");
  for (const each of configured) assert.ok(named.includes(each), each);
  const monitors = configured.filter((each) => each.startsWith("monitor "));
  assert.equal(new Set(monitors.map((each) => each.split(" ")[2])).size, 2, monitors.join(", "));
  assert.deepEqual(
    monitors.map((each) => each.split(" ")[3]),
    ["Promoted", "Unpromoted"],
  );
  for (const setting of ["promoted-max", "clone-max"])
    assert.match(clone, new RegExp(`name="${setting}" value="2"`));
  assert.match(clone, /name="notify" value="true"/);
});

test("what only notes and wakes is given a minute and more: Pacemaker would stop a healthy etcd of a busy machine", () => {
  const { site } = readSite(minimal, "site.yaml");
  assert.ok(site !== undefined);
  const [, clone = ""] = cibConfiguration(site, new Map()).xml.split("<clone ");
  const operations = operationsIn(clone.split("</clone>")[0] ?? "", "op").map((each) => each.split(" "));
  const patient = ["start", "promote", "demote", "monitor"];
  const given_s = operations
    .filter(([name = ""]) => patient.includes(name))
    .map(([, s]) => Number.parseInt(s ?? "", 10));
  assert.equal(given_s.length, 5);
  assert.ok(Math.min(...given_s) > 60, given_s.join(", "));
  assert.doesNotMatch(clone, /on-fail/, "a monitor that says `not running` is acted on");
});

test("the wrapper answers by itself what is asked most, from a file that is there", () => {
  const [wrapper, metadata] = agentFiles;
  assert.ok(wrapper !== undefined && metadata !== undefined);
  assert.equal(wrapper.mode, 0o755);
  assert.ok(String(wrapper.content).includes(`cat ${metadata.path}`));
  assert.match(String(wrapper.content), /exec \/usr\/local\/bin\/duet agent etcd "\$@"\n$/);
});

test("the one-shot is started by a file, which is gone before it begins", () => {
  const text = (name: string) => agentUnits.find((unit) => unit.name === name)?.contents ?? "";
  const watched = /^PathExists=(.*)$/m.exec(text("duet-work.path"))?.[1];
  assert.ok(watched !== undefined);
  assert.ok(text("duet-work.service").includes(`ExecStartPre=/bin/rm -f ${watched}\n`));
  assert.ok(text("duet-wake.service").includes(`ExecStart=/bin/touch ${watched}\n`));
  assert.ok(agentFiles.some(({ content }) => String(content).includes(`: > ${watched}`)));
});

test("a watch that systemd gives up is begun again, and meanwhile the one-shot looks", () => {
  const text = (name: string) => agentUnits.find((unit) => unit.name === name)?.contents ?? "";
  const paths = agentUnits.map(({ name }) => name).filter((name) => name.endsWith(".path"));
  assert.ok(paths.length > 0);
  const [started = ""] = /^ExecStart=.*$/m.exec(text("duet-again.service")) ?? [];
  for (const path of paths) {
    assert.match(text(path), /^OnFailure=duet-again\.service$/m);
    assert.ok(started.split(" ").includes(path), started);
  }
  assert.ok(started.split(" ").includes("duet-work.service"), started);
  assert.match(text("duet-again.service"), /^Restart=on-failure$/m);
});
