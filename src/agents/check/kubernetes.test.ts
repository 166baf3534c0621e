import assert from "node:assert/strict";
import { test } from "node:test";
import { controlPlaneSite } from "../../render/kubernetes/testing.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { ownPrograms } from "../kubernetes/testing-programs.ts";
import { goesWith, judgeKubernetes, lookAtKubernetes } from "./kubernetes.ts";

const { site } = controlPlaneSite();
const marks = (programs: Record<string, string | null>, missing: string[] | null) =>
  judgeKubernetes("node1", site, { programs, missing }).map(({ check, mark }) => `${check} ${mark}`);

test("what a control plane lacks is told, and a site without one hears nothing of it", () => {
  const both = { crio: "1.36.1", kubelet: "1.36.3" };
  assert.deepEqual(marks(both, []), ["crio ok", "kubelet ok", "images ok"]);
  assert.deepEqual(marks({ crio: null, kubelet: null }, null), ["crio fail", "kubelet fail", "images note"]);
  assert.deepEqual(marks({ ...both, kubelet: "1.37.0" }, ["x/y:1"]), [
    "crio ok",
    "kubelet warn",
    "images warn",
  ]);
  const { site: plain } = readSite(minimal, "site.yaml");
  assert.ok(plain !== undefined);
  assert.deepEqual(judgeKubernetes("node1", plain, { programs: {}, missing: [] }), []);
  assert.deepEqual(judgeKubernetes("node1", site, undefined), [], "a machine that has not been set up yet");
});

test("a kubelet that would refuse its configuration fails, however close it is to the API server", () => {
  const kubelet = (version: string) => marks({ crio: "1.36.1", kubelet: version }, [])[1];
  assert.deepEqual(["1.33.9", "1.34.4", "1.35.0", "unknown"].map(kubelet), [
    "kubelet fail",
    "kubelet fail",
    "kubelet ok",
    "kubelet ok",
  ]);
});

test("a kubelet may be up to three minor versions older, and never newer", () => {
  const kubelets = ["1.36.3", "1.36.9", "1.33.0", "1.32.9", "1.37.0", "unknown"];
  assert.deepEqual(
    kubelets.filter((each) => goesWith(each, "1.36.3")),
    ["1.36.3", "1.36.9", "1.33.0", "unknown"],
  );
});

test("a machine is asked by its own programs, and one that can't tell is believed", async () => {
  await using own = await ownPrograms();
  const { program } = own;
  await program("kubelet", "echo Kubernetes v1.36.3");
  await program("crio", "echo 'crio version 1.36.1'; echo '   GoVersion: go1.26.0'");
  await program("crictl", 'echo "connection refused" >&2; exit 1');
  await program("podman", 'case "$3" in *proxy*) exit 1 ;; esac');
  const proxy = "registry.k8s.io/kube-proxy:v1.36.3";
  const programs = { crio: "1.36.1", kubelet: "1.36.3" };
  assert.deepEqual(await lookAtKubernetes(site), { programs, missing: [proxy] });
  await program("crictl", 'case "$5" in *pause*) echo "no such image" >&2; exit 1 ;; esac');
  assert.deepEqual((await lookAtKubernetes(site))?.missing, [site.kubernetes.images.pause]);
  await program("crictl", "exit 127");
  await program("podman", "exit 127");
  assert.equal((await lookAtKubernetes(site))?.missing, null);
});
