import assert from "node:assert/strict";
import { test } from "node:test";
import { parseClusterSight } from "./cluster.ts";

const device = (id: string, node: string | undefined) =>
  `<resource id="${id}" resource_agent="stonith:fence_duet" role="Started" active="${node !== undefined}">${node === undefined ? "" : `<node name="${node}" id="1" cached="true"/>`}</resource>`;

/** As crm_mon of Pacemaker 3.0 prints it, shortened. */
const xml = (parts: { readonly node2?: string; readonly device2?: string; readonly more?: string } = {}) => `
<pacemaker-result api-version="2.38">
  <summary><current_dc present="true" name="node1" id="1" with_quorum="true"/></summary>
  <nodes>
    <node name="node1" id="1" online="true" standby="false" pending="false" unclean="false" shutdown="false"/>
    <node name="node2" id="2" ${parts.node2 ?? 'online="true" standby="false" pending="false" unclean="false" shutdown="false"'}/>
  </nodes>
  <resources>${device("fence-node1", "node2")}${parts.device2 ?? device("fence-node2", "node1")}</resources>
  <node_history>
    <node name="node2"><resource_history id="fence-node1">
      <operation_history call="16" task="start" rc="0" last-rc-change="Sun Nov 15 17:42:25 2026"/>
      <operation_history call="19" task="monitor" rc="0" interval="60000ms" last-rc-change="Sun Nov 15 17:42:29 2026"/>
    </resource_history></node>
    <node name="node1"><resource_history id="fence-node2">
      <operation_history call="15" task="start" rc="0" last-rc-change="Sun Nov 15 17:42:24 2026"/>
    </resource_history></node>
  </node_history>
  ${parts.more ?? ""}
</pacemaker-result>`;

test("a fence device is proven by a repeated monitor that succeeded, and not by its start", () => {
  const { dc, nodes, devices, fences, failures } = parseClusterSight(xml());
  assert.equal(dc, "node1");
  assert.deepEqual(nodes, { node1: "online", node2: "online" });
  assert.deepEqual(devices["node1"], {
    on: "node2",
    since_ms: Date.UTC(2026, 10, 15, 17, 42, 29),
    interval_s: 60,
    failed: null,
  });
  assert.equal(devices["node2"]?.since_ms, null);
  assert.deepEqual([fences, failures], [[], []]);
});

test("what the target itself noted of its own device, which never runs there, is no answer", () => {
  const probe = `<resource_history id="fence-node1">
      <operation_history call="40" task="probe" rc="7" last-rc-change="Sun Nov 15 17:50:00 2026"/>
    </resource_history><resource_history id="fence-node2">`;
  const { devices } = parseClusterSight(xml().replace('<resource_history id="fence-node2">', probe));
  assert.equal(devices["node1"]?.since_ms, Date.UTC(2026, 10, 15, 17, 42, 29));
});

test("what was proven on a machine that is gone is not proven any more", () => {
  const { devices } = parseClusterSight(
    xml().replace(device("fence-node1", "node2"), device("fence-node1", undefined)),
  );
  assert.deepEqual([devices["node1"]?.on, devices["node1"]?.since_ms], [null, null]);
});

test("the gravest word of a machine is told", () => {
  const word = (node2: string) => parseClusterSight(xml({ node2 })).nodes["node2"];
  assert.equal(word('online="false" unclean="true"'), "unclean");
  assert.equal(word('online="false" unclean="false"'), "offline");
  assert.equal(word('online="true" standby="true"'), "standby");
  assert.equal(word('online="true" pending="true"'), "pending");
});

test("fences with their times, failures with their reasons", () => {
  const more = `
    <failures>
      <failure op_key="fence-node2_monitor_60000" node="node1" exitstatus="error" exitreason="the BMC of node2: no connection" task="monitor"/>
      <failure op_key="etcd_monitor_10000" node="node2" exitstatus="degraded" exitreason="" task="monitor"/>
      <failure op_key="kubelet_start_0" node="node2" exitstatus="error" exitreason="" task="start"/>
      <failure op_key="crio_stop_0" node="node1" exitstatus="error" exitreason="refused" task="stop"/>
      <failure op_key="duet-api_start_0" node="node1" exitstatus="error" exitreason="no such network" task="start"/>
    </failures>
    <fence_history status="0">
      <fence_event action="off" target="node2" client="pacemaker-controld.1" origin="node1" status="success" delegate="node1" completed="2026-11-15 17:43:39.702687Z"/>
      <fence_event action="on" target="node2" client="stonith_admin.2" origin="node1" status="success" delegate="node1" completed="2026-11-15 17:50:00Z"/>
      <fence_event action="off" target="node2" client="pacemaker-controld.1" origin="node1" status="pending"/>
    </fence_history>`;
  const { devices, fences, failures } = parseClusterSight(xml({ more }));
  assert.equal(devices["node2"]?.failed, "the BMC of node2: no connection");
  assert.deepEqual(failures, [
    { node: "node2", resource: "kubelet", what: "Pacemaker's start of kubelet failed: error", again: true },
    { node: "node1", resource: "crio", what: "Pacemaker's stop of crio failed: refused", again: false },
    {
      node: "node1",
      resource: "duet-api",
      what: "Pacemaker's start of the API's address (duet-api) failed: no such network",
      again: true,
    },
  ]);
  assert.deepEqual(
    fences.map(({ by, target, at_ms, result }) => [by, target, at_ms, result]),
    [
      ["node1", "node2", Date.UTC(2026, 10, 15, 17, 43, 39, 702), "success"],
      ["node1", "node2", 0, "pending"],
    ],
  );
});

test("what runs where, and whether anybody looks after it", () => {
  const { runs, maintenance } = parseClusterSight(xml());
  assert.deepEqual(runs, { node2: ["fence-node1"], node1: ["fence-node2"] });
  assert.equal(maintenance, false);
  const options = '<cluster_options stonith-enabled="true" maintenance-mode="true"/>';
  assert.equal(parseClusterSight(xml({ more: options })).maintenance, true);
});

test("when a kubelet was last started, where it was started and not found running", () => {
  const kubelet = (operations: string) =>
    `<resource_history id="kubelet">${operations}</resource_history><resource_history id="fence-node2">`;
  const of = (operations: string) =>
    parseClusterSight(xml().replace('<resource_history id="fence-node2">', kubelet(operations))).kubelets_ms;
  const at = (time: string) => `last-rc-change="Sun Nov 15 ${time} 2026"`;
  assert.deepEqual(
    of(`<operation_history call="30" task="start" rc="0" ${at("17:40:00")}/>
      <operation_history call="31" task="monitor" rc="0" interval="10000ms" ${at("17:40:01")}/>`),
    { node1: Date.UTC(2026, 10, 15, 17, 40, 0) },
  );
  assert.deepEqual(of(`<operation_history call="30" task="start" rc="1" ${at("17:40:00")}/>`), {});
  assert.deepEqual(of(`<operation_history call="30" task="probe" rc="0" ${at("17:40:00")}/>`), {});
});
