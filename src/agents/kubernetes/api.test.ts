import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import * as v from "valibot";
import { DuetError } from "../../base/problem.ts";
import { Secret } from "../../base/secret.ts";
import { getObject, loadKubeApi, readyz } from "../../machine/kube-api.ts";
import { makeAuthority, makeKey } from "../../machine/x509.ts";
import { kubeconfigText } from "../../render/kubernetes/kubeconfig.ts";
import { accessObjects, dnsObjects } from "../../render/kubernetes/objects.ts";
import { controlPlaneSite } from "../../render/kubernetes/testing.ts";
import { years } from "../authority.ts";
import { makeObjects, masterApi, nodesReady, served } from "./api.ts";
import { fakeApi } from "./testing.ts";

const { site } = controlPlaneSite();
const fake = await fakeApi();
const folder = await mkdtemp(join(tmpdir(), "duet-kube-api-"));
after(async () => {
  await fake[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  fake.objects.clear();
  fake.asked.length = 0;
  fake.refusals = 0;
});
const api = fake.as("duet:setup", "system:masters");
const soon = { deadline_ms: 300, every_ms: 1 };
const quiet = () => undefined;
const all = [...accessObjects(site), ...dnsObjects(site, true)];

test("objects are made, and made again they are the same", async () => {
  await makeObjects(api, all, quiet, soon);
  const first = structuredClone([...fake.objects]);
  assert.equal(first.length, all.length);
  await makeObjects(api, all, quiet, soon);
  assert.deepEqual([...fake.objects], first);
});

test("an API that is not ready yet is asked again, and what was said last is told", async () => {
  fake.refusals = 3;
  const said: string[] = [];
  await served(api, (detail) => said.push(detail), soon);
  assert.deepEqual(said.at(-2), "status 503: etcdserver: no leader");
  fake.refusals = Number.POSITIVE_INFINITY;
  await assert.rejects(
    makeObjects(api, all.slice(0, 1), quiet, { deadline_ms: 20, every_ms: 1 }),
    (error) => {
      assert.ok(error instanceof DuetError);
      const [problem] = error.problems;
      assert.equal(problem?.code, "DUET-E-KUBERNETES-API");
      assert.match(problem.what, /last: status 503: etcdserver: no leader$/);
      return true;
    },
  );
});

const node = (ready: string) => ({
  metadata: { labels: { "kubernetes.io/os": "linux" } },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

test("both machines must be Ready, and are told as what they are, once", async () => {
  fake.objects.set("/api/v1/nodes/node1", node("True"));
  const both = ["node1", "node2"];
  const last = async () => {
    const said: string[] = [];
    await nodesReady(api, both, (detail) => said.push(detail), { deadline_ms: 20, every_ms: 1 }).catch(quiet);
    return said.at(-1);
  };
  assert.equal(await last(), "node2 is not known to the API yet");
  fake.objects.set("/api/v1/nodes/node2", node("Unknown"));
  assert.equal(await last(), "node2 is not Ready yet");
  fake.objects.set("/api/v1/nodes/node2", node("True"));
  // The fake replaces `metadata` whole; a real API merges it.
  assert.equal(await last(), "node1 and node2 Ready");
  const changes = () => fake.asked.filter((each) => each.includes("PATCH")).length;
  assert.equal(changes(), 2);
  await last();
  assert.equal(changes(), 2, "nothing is written where it is so already");
});

test("failures are told as what they are, each within its deadline", async () => {
  const shape = v.object({ kind: v.string() });
  const gone = await getObject(api, "/api/v1/nodes/none", shape, 1_000);
  assert.deepEqual(gone, {
    ok: false,
    failure: { kind: "refused", status: 404, said: "status 404: not found" },
  });
  const closed = await readyz({ ...api, url: "https://127.0.0.1:1" }, 1_000);
  assert.ok(!closed.ok && closed.failure.kind === "unreachable");
  fake.objects.set("/odd", { other: 1 });
  const odd = await getObject(api, "/odd", shape, 1_000);
  assert.ok(!odd.ok && odd.failure.kind === "answer");
  const stranger = makeAuthority("another", makeKey(), years(1, new Date()));
  const untrusted = await readyz({ ...api, tls: { ...api.tls, ca: stranger.certificate } }, 1_000);
  assert.ok(!untrusted.ok && untrusted.failure.kind === "unreachable");
});

test("a kubeconfig of duet's is a way in", async () => {
  const path = join(folder, "duet.conf");
  assert.equal(await loadKubeApi(path), undefined);
  const { tls } = fake.as("duet:machine:node1");
  const text = kubeconfigText({
    cluster: "x",
    user: "duet:machine:node1",
    server: fake.url,
    authority: tls.ca,
    certificate: tls.cert,
    key: new Secret(tls.key),
  });
  await writeFile(path, text, { mode: 0o600 });
  const loaded = await loadKubeApi(path);
  assert.ok(loaded !== undefined);
  assert.ok((await readyz(loaded, 1_000)).ok);
  assert.deepEqual(fake.asked, ["duet:machine:node1 GET /readyz"]);
});

test("setup speaks to its own machine as one who may everything, for a day", () => {
  const now = new Date("2026-05-06T07:08:09Z");
  const { url, tls } = masterApi(site, fake.authority, now);
  assert.equal(url, "https://127.0.0.1:6443");
  const { subject, validToDate } = new X509Certificate(tls.cert);
  assert.equal(subject, "O=system:masters\nCN=duet:setup");
  assert.equal(validToDate.toISOString(), "2026-05-07T07:08:09.000Z");
});

test("duet's own machines may read and mark the two nodes, and nothing else", () => {
  const role = accessObjects(site).find(({ path }) => path.endsWith("/clusterroles/duet:machine"));
  assert.deepEqual(role?.body, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "duet:machine" },
    rules: [
      { apiGroups: [""], resources: ["nodes"], resourceNames: ["node1", "node2"], verbs: ["get", "patch"] },
      { nonResourceURLs: ["/readyz", "/livez"], verbs: ["get"] },
    ],
  });
});

test("of all leases they may free the two of the controllers", () => {
  const [role, ...more] = accessObjects(site).filter(({ path }) => path.endsWith("/roles/duet:machine"));
  assert.deepEqual(more, []);
  assert.equal(role?.path, "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/duet:machine");
  assert.deepEqual(role.body, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "duet:machine", namespace: "kube-system" },
    rules: [
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["kube-controller-manager", "kube-scheduler"],
        verbs: ["get", "patch"],
      },
    ],
  });
  const bound = accessObjects(site).find(({ path }) => path.endsWith("/rolebindings/duet:machine"));
  assert.deepEqual(bound?.body, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "duet:machine", namespace: "kube-system" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "duet:machine" },
    subjects: ["node1", "node2"].map((name) => ({
      apiGroup: "rbac.authorization.k8s.io",
      kind: "User",
      name: `duet:machine:${name}`,
    })),
  });
});

test("what duet's own machines may do never queues behind others", () => {
  const flow = accessObjects(site).find(({ path }) => path.includes("/flowschemas/"));
  assert.equal(flow?.path, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/duet-machines");
  assert.deepEqual(flow.body, {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name: "duet-machines" },
    spec: {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: [
            { kind: "User", user: { name: "duet:machine:node1" } },
            { kind: "User", user: { name: "duet:machine:node2" } },
          ],
          resourceRules: [
            { apiGroups: [""], resources: ["nodes"], verbs: ["get", "patch"], clusterScope: true },
            {
              apiGroups: ["coordination.k8s.io"],
              resources: ["leases"],
              verbs: ["get", "patch"],
              namespaces: ["kube-system"],
            },
          ],
          nonResourceRules: [{ nonResourceURLs: ["/readyz", "/livez"], verbs: ["get"] }],
        },
      ],
    },
  });
});

test("DNS is at the tenth address, and asks outside only where there is somebody to ask", () => {
  const text = (forward: boolean) => JSON.stringify(dnsObjects(site, forward));
  assert.match(text(true), /"clusterIP":"198\.19\.0\.10"/);
  assert.match(text(true), /forward \. \/etc\/resolv\.conf/);
  assert.doesNotMatch(text(false), /forward/);
});
