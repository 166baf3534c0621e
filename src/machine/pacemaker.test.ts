import assert from "node:assert/strict";
import { test } from "node:test";
import { parseClusterState, replaceSections } from "./pacemaker.ts";

const cib = `<cib epoch="7" admin_epoch="0">
  <configuration>
    <crm_config><cluster_property_set id="old"><nvpair id="a" name="old" value="1"/></cluster_property_set></crm_config>
    <nodes><node id="1" uname="node1"><instance_attributes id="kept"/></node></nodes>
    <resources><primitive id="old" class="ocf" type="Dummy"/></resources>
    <constraints/>
    <alerts><alert id="theirs" path="/x"/></alerts>
  </configuration>
  <status><node_state id="1"/></status>
</cib>`;

const wanted = `<configuration>
  <crm_config><cluster_property_set id="new"/></crm_config>
  <resources><primitive id="new" class="stonith" type="fence_redfish"/></resources>
  <constraints/>
  <rsc_defaults/>
</configuration>`;

test("duet's sections replace those that are there; nodes, alerts and status stay", () => {
  const after = replaceSections(cib, wanted);
  assert.match(after, /id="new" class="stonith"/);
  assert.doesNotMatch(after, /name="old"|type="Dummy"/);
  assert.match(after, /<instance_attributes id="kept"/);
  assert.match(after, /<alert id="theirs"/);
  assert.match(after, /<node_state id="1"/);
  // The schema wants the properties before the nodes.
  assert.ok(after.indexOf("<crm_config") < after.indexOf("<nodes"));
});

const alert = (id: string) => `<alerts><alert id="${id}" path="/y"/></alerts>`;

test("duet's own alert is replaced, added or taken away; those of others stay", () => {
  const told = wanted.replace("<rsc_defaults/>", `<rsc_defaults/>${alert("duet-alerts")}`);
  const after = replaceSections(cib, told);
  assert.match(
    after,
    /<alerts><alert id="theirs" path="\/x"\/><alert id="duet-alerts" path="\/y"\/><\/alerts>/,
  );
  assert.equal(replaceSections(after, told), after);
  assert.match(replaceSections(after, wanted), /<alerts><alert id="theirs" path="\/x"\/><\/alerts>/);
  const none = cib.replace(/<alerts>.*<\/alerts>/, "");
  assert.match(replaceSections(none, told), /<alerts><alert id="duet-alerts" path="\/y"\/><\/alerts>/);
});

test("doing it twice is doing it once, and what is no CIB is refused", () => {
  const once = replaceSections(cib, wanted);
  assert.equal(replaceSections(once, wanted).replace(/\s+/g, ""), once.replace(/\s+/g, ""));
  assert.throws(() => replaceSections("<cib><configuration></cib>", wanted), /not well-formed/);
  assert.throws(() => replaceSections("<other/>", wanted), /not a CIB/);
});

test("the cluster's state is read from crm_mon's XML, never by a name's beginning", () => {
  const state =
    parseClusterState(`<pacemaker-result><summary><current_dc present="true" name="node10" with_quorum="true"/></summary>
    <nodes><node name="node1" online="false" unclean="true"/><node name="node10" online="true" unclean="false"/></nodes></pacemaker-result>`);
  assert.deepEqual(state, {
    quorate: true,
    dc: "node10",
    nodes: [
      { name: "node1", online: false, unclean: true },
      { name: "node10", online: true, unclean: false },
    ],
  });
});
