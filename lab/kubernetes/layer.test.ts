import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { etcdUnits } from "../../src/render/etcd.ts";
import { makeLayer } from "./layer.ts";
import { kubernetesPrograms } from "./programs.ts";

/** Files with the builds' names in place of programs; each holds its own name. */
const scratch = await mkdtemp(join(tmpdir(), "duet-layer-"));
after(() => rm(scratch, { recursive: true }));

async function built(kind: keyof typeof kubernetesPrograms, ...also: readonly string[]): Promise<string> {
  const folder = join(scratch, kind);
  await mkdir(folder);
  for (const name of [...Object.keys(kubernetesPrograms[kind].programs), ...also])
    await writeFile(join(folder, name), `built ${name}`);
  return folder;
}

const layer = join(scratch, "layer");
await makeLayer(layer, {
  pause: await built("pause"),
  crun: await built("crun"),
  coredns: await built("coredns"),
  etcd: await built("etcd"),
  crio: await built("crio", "pinns"),
  hyperkube: await built("hyperkube"),
});
const inLayer = (path: string): Promise<string> => readFile(join(layer, path), "utf8");

test("the etcd that duet's unit starts is the one that was built, and the tools beside it are of the same build", async () => {
  const unit = etcdUnits.find(({ name }) => name === "duet-etcd.service");
  const started = /^ExecStart=(\S+)$/m.exec(unit?.contents ?? "")?.[1] ?? "";
  assert.equal(basename(started), "etcd");
  assert.equal(await inLayer(started), "built etcd");
  // Debian has them there: elsewhere they would stand beside its own, and the path would decide.
  for (const name of ["etcdctl", "etcdutl"]) assert.equal(await inLayer(`/usr/bin/${name}`), `built ${name}`);
});

test("machines get what they run, and nothing of the build that only tests need", async () => {
  assert.deepEqual((await readdir(join(layer, "usr", "bin"))).toSorted(), [
    "crio",
    "etcd",
    "etcdctl",
    "etcdutl",
    "kubectl",
    "kubelet",
    "pinns",
  ]);
});

test("Kubernetes' names on a machine lead to its one program", async () => {
  for (const name of ["kubelet", "kubectl"])
    assert.equal(await inLayer(`/usr/bin/${name}`), "built hyperkube");
});
