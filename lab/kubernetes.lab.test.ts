import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { Progress } from "../src/machine/progress.ts";
import { apiUrl } from "../src/render/kubernetes/names.ts";
import { openLab } from "./folder.ts";
import { workloadImage } from "./kubernetes/containers.ts";
import { etcd_version, kubernetes_version } from "./kubernetes/versions.ts";
import { groupByLab } from "./scenario-labs.ts";
import { duet, duetOk, on, ownLabsFolder, probed, statusJson, untilSeen } from "./testing.ts";
import { playScenario, scenariosForCi } from "./testing-scenarios.ts";

/**
 * One lab with Kubernetes: what a user of a cluster does first, a machine that loses its power and comes back, and last the scenarios
 * for CI, which find the lab as they would make it, and a Deployment more.
 */
ownLabsFolder();
const name = "kube";
let server = "";
const progress = new Progress();
const scenarios = scenariosForCi(progress, true);

const kubectl = (...words: readonly string[]) => on(name, "seat", "kubectl", server, ...words);

before(async () => {
  await duetOk("lab", "up", "--name", name, "--kubernetes");
  server = `--server=${apiUrl((await openLab(name)).site.machines[0]?.addresses[0] ?? "")}`;
});
after(async () => {
  await duetOk("lab", "down", "--name", name);
});

const nodesShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    items: v.array(
      v.object({
        metadata: v.object({ name: v.string() }),
        status: v.object({
          nodeInfo: v.object({ kubeletVersion: v.string() }),
          conditions: v.array(v.object({ type: v.string(), status: v.string() })),
        }),
      }),
    ),
  }),
);

const wholeShape = v.pipe(v.string(), v.parseJson(), v.object({ whole: v.string() }));

async function readyNodes(): Promise<readonly string[]> {
  const { items } = v.parse(nodesShape, await kubectl("get", "nodes", "--output=json"));
  return items
    .filter(({ status }) => status.conditions.some((c) => c.type === "Ready" && c.status === "True"))
    .map((node) => node.metadata.name)
    .toSorted();
}

test("both machines are nodes of the version that was built, and Ready", async () => {
  assert.deepEqual(await readyNodes(), ["node1", "node2"]);
  const { items } = v.parse(nodesShape, await kubectl("get", "nodes", "--output=json"));
  for (const { status } of items) assert.equal(status.nodeInfo.kubeletVersion, `v${kubernetes_version}`);
});

test("etcd and its tools are those that were built, and not Debian's, by what is installed and by what answers", async () => {
  for (const machine of ["node1", "node2"]) {
    const { etcd } = await probed(name, machine);
    assert.deepEqual([etcd?.installed, etcd?.running], [etcd_version, etcd_version]);
    for (const tool of ["etcdctl", "etcdutl"])
      assert.ok((await on(name, machine, tool, "version")).startsWith(`${tool} version: ${etcd_version}\n`));
  }
});

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        tolerations: [{ operator: "Exists" }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "kubernetes.io/hostname",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "web" } },
          },
        ],
        containers: [
          {
            name: "web",
            image: workloadImage,
            command: ["sh", "-c", "hostname > /tmp/index.html; echo serving; exec httpd -f -p 8080 -h /tmp"],
            resources: { limits: { memory: "32Mi" } },
            readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
};

const podsOfWeb = async () =>
  (await kubectl("get", "pods", "--selector=app=web", "--output=name")).trim().split("\n");

test("a Deployment on both machines is reached by its Service's name, from each of its pods", async () => {
  const applied = await duet(
    ["lab", "run", "seat", "--name", name, "--", "kubectl", server, "apply", "-f", "-"],
    {
      input: JSON.stringify({ apiVersion: "v1", kind: "List", items: [web, service] }),
    },
  );
  assert.equal(applied.status, 0, applied.stderr);
  await kubectl("rollout", "status", "deployment/web", "--timeout=120s");
  const pods = await podsOfWeb();
  assert.equal(pods.length, 2);
  for (const pod of pods) {
    assert.equal(await kubectl("logs", pod), "serving\n");
    const answered = new Set<string>();
    await untilSeen(
      `both pods answering ${pod}`,
      async () => {
        answered.add((await kubectl("exec", pod, "--", "wget", "-T", "5", "-qO-", "http://web")).trim());
        return answered.size === 2;
      },
      { deadline_ms: 60_000, every_ms: 100 },
    );
    assert.deepEqual([...answered].toSorted(), pods.map((each) => each.replace("pod/", "")).toSorted());
  }
});

test("a command in a privileged pod has the machine's network", async () => {
  assert.match(
    await kubectl("exec", "--namespace=kube-system", "kube-proxy-node1", "--", "nft", "list", "tables"),
    /^table ip kube-proxy$/m,
  );
});

test("after a power cut the machine is a node again, with its pods, and nothing of the other's was touched", async () => {
  const earlier = await on(name, "node1", "pgrep", "--full", "--newest", "^kube-apiserver ");
  await duetOk("lab", "power", "cut", "node2", "--name", name);
  await untilSeen(
    "both machines whole, and node2's new kubelet Ready",
    async () => {
      await on(name, "node2", "pgrep", "kubelet");
      const { whole } = v.parse(wholeShape, await statusJson(name, "seat"));
      return whole === "1+1" && (await readyNodes()).length === 2;
    },
    { deadline_ms: 240_000, every_ms: 1000 },
  );
  await kubectl("rollout", "status", "deployment/web", "--timeout=120s");
  assert.equal(await on(name, "node1", "pgrep", "--full", "--newest", "^kube-apiserver "), earlier);
});

test("there is a scenario with Kubernetes for CI, and this lab does for it", () => {
  assert.equal(groupByLab(scenarios).length, 1);
  for (const { header } of scenarios) assert.deepEqual([header.pdu, header.escalate], [false, false]);
});

for (const scenario of scenarios)
  test(`${scenario.file}: ${scenario.header.title}`, () => playScenario(name, scenario, progress));
