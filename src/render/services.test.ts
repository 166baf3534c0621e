import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import type { Site } from "../site/site.ts";
import { cibConfiguration, markProperty } from "./cib.ts";
import { type Service, withServices } from "./services.ts";

function site(more = ""): Site {
  const read = readSite(`${minimal}${more}`, "site.yaml").site;
  assert.ok(read !== undefined);
  return read;
}

const installed = (node1: readonly Service[], node2: readonly Service[]) =>
  new Map([
    ["node1", new Set(node1)],
    ["node2", new Set(node2)],
  ]);
const both: readonly Service[] = ["crio", "kubelet"];
const { xml: rendered } = cibConfiguration(site(), new Map());

test("a service that no machine has is not in the configuration, and the mark is another for each answer", () => {
  const none = withServices(rendered, site(), installed([], []));
  assert.doesNotMatch(none.xml, /kubelet|crio/);
  assert.deepEqual(none, cibConfiguration(site(), new Map()), "and is what was rendered, with the same mark");
  const marks = [
    none.mark,
    ...[
      installed(both, both),
      installed(both, ["crio"]),
      installed(["crio"], both),
      installed(["kubelet"], ["kubelet"]),
    ].map((each) => withServices(rendered, site(), each).mark),
    withServices(rendered, site("fencing: { stop_failure: fence }\n"), installed(both, both)).mark,
  ];
  assert.equal(new Set(marks).size, marks.length);
  for (const each of marks) assert.match(each, /^[0-9a-f]{16}$/);
  const again = withServices(none.xml, site(), installed([], []));
  assert.deepEqual(again, none);
  assert.ok(none.xml.includes(`name="${markProperty}" value="${none.mark}"`));
});

test("nothing ties a service to etcd, and where it is missing it is never started", () => {
  const { xml } = withServices(rendered, site(), installed(both, ["crio"]));
  const constraints = xml.slice(xml.indexOf("<constraints>"), xml.indexOf("</constraints>"));
  assert.doesNotMatch(constraints, /etcd/);
  assert.deepEqual(constraints.match(/kind="\w+"/g), ['kind="Optional"']);
  assert.match(constraints, /id="kubelet-not-on-node2" rsc="kubelet-clone" node="node2" score="-INFINITY"/);
  assert.doesNotMatch(constraints, /crio-not-on|kubelet-not-on-node1/);
});

test("a failed stop is blocked, or fenced where the site says so; a failed start is tried again in place", () => {
  const fails = (service: Service, more: string) => {
    const { xml } = withServices(rendered, site(more), installed(both, both));
    return [...xml.matchAll(/id="([a-z]+)-(\w+)" name="\w+".* on-fail="(\w+)"/g)]
      .filter(([, id]) => id === service)
      .map(([, , name, how]) => `${name} ${how}`);
  };
  for (const service of both) {
    assert.deepEqual(fails(service, ""), ["start restart", "stop block", "monitor restart"], service);
    const fence = fails(service, "fencing: { stop_failure: fence }\n");
    assert.deepEqual(fence, ["start restart", "stop fence", "monitor restart"], service);
  }
});
