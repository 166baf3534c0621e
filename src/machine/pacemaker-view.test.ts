import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAttribute } from "./attributes.ts";
import { parseView } from "./pacemaker-view.ts";

// From Pacemaker 3.0.0 in the lab, with what nobody reads left out.
const node = (name: string, changes: string) =>
  `<node name="${name}" id="1" ${changes} maintenance="false" pending="false" type="member"/>`;
const instance = (role: string, on: string, active = true) =>
  `<resource id="duet-etcd" resource_agent="ocf:duet:etcd" role="${role}" active="${active}" blocked="false">
    ${active ? `<node name="${on}" id="1" cached="true"/>` : ""}
  </resource>`;
const fenceDevice = `<resource id="fence-node1" role="Started" active="true"><node name="node2" id="2"/></resource>`;
const mon = (nodes: string, instances: string, failures = "") => `<pacemaker-result api-version="2.38">
  <nodes>${nodes}</nodes>
  <resources>${fenceDevice}<clone id="duet-etcd-clone" multi_state="true">${instances}</clone></resources>
  <node_attributes><node name="node1"><attribute name="master-duet-etcd" value="5"/></node></node_attributes>
  <node_history><node name="node1"/></node_history>
  ${failures}
  <status code="0" message="OK"/>
</pacemaker-result>`;

const calm = `online="true" standby="false" unclean="false" shutdown="false"`;

test("two machines at work", () => {
  const view = parseView(
    mon(
      node("node1", calm) + node("node2", calm),
      instance("Promoted", "node1") + instance("Promoted", "node2"),
    ),
    "duet-etcd",
  );
  assert.deepEqual([...view.activeOn], ["node1", "node2"]);
  assert.equal(view.stopFailedOn.size, 0);
  const expected = { online: true, unclean: false, standby: false, shutdown: false };
  assert.deepEqual(Object.fromEntries(view.nodes), { node1: expected, node2: expected });
});

test("one that is lost, and one whose etcd could not be stopped", () => {
  const lost = node("node1", `online="false" standby="false" unclean="true" shutdown="false"`);
  const standby = node("node2", `online="true" standby="true" unclean="false" shutdown="false"`);
  const failure = `<failures>
    <failure op_key="duet-etcd_stop_0" node="node2" exitstatus="Error occurred" exitcode="1" status="Done" task="stop"/>
    <failure op_key="duet-etcd_monitor_10000" node="node1" exitstatus="Error occurred" exitcode="1" task="monitor"/>
  </failures>`;
  const view = parseView(mon(lost + standby, instance("Stopped", "", false), failure), "duet-etcd");
  assert.equal(view.nodes.get("node1")?.unclean, true);
  assert.equal(view.nodes.get("node2")?.standby, true);
  assert.equal(view.activeOn.size, 0);
  assert.deepEqual([...view.stopFailedOn], ["node2"]);
});

test("another service that can't be stopped counts only where its machine is fenced for it", () => {
  const failure = `<failures>
    <failure op_key="kubelet_stop_0" node="node2" exitstatus="Error occurred" exitcode="1" status="Done" task="stop"/>
    <failure op_key="kubelet_start_0" node="node1" exitstatus="Error occurred" exitcode="1" status="Done" task="start"/>
  </failures>`;
  const stuck = (unclean: boolean) => {
    const nodes = ["node1", "node2"].map((name) =>
      node(name, `online="true" standby="false" unclean="${unclean}" shutdown="false"`),
    );
    return [
      ...parseView(mon(nodes.join(""), instance("Promoted", "node1"), failure), "duet-etcd").stopFailedOn,
    ];
  };
  assert.deepEqual(stuck(false), []);
  assert.deepEqual(stuck(true), ["node2"]);
});

test("an attribute of one machine, whatever is in it, or none", () => {
  const xml = (value: string, host: string) => `<pacemaker-result api-version="2.38">
  <attribute name="duet-facts" value="${value}" host="${host}"/>
  <status code="0" message="OK"/>
</pacemaker-result>`;
  const text = `2.d {"a":"x \\"q\\" <&> ' $HOME \`b\` \\u00fc","n":[1,2]}`;
  const written = `2.d {&quot;a&quot;:&quot;x \\&quot;q\\&quot; &lt;&amp;&gt; ' $HOME \`b\` \\u00fc&quot;,&quot;n&quot;:[1,2]}`;
  assert.equal(parseAttribute(xml(written, "node2"), "node2"), text);
  assert.equal(parseAttribute(xml(written, "node2"), "node1"), undefined);
  assert.equal(parseAttribute(xml("", "node1"), "node1"), undefined);
});
