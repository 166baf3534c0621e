import assert from "node:assert/strict";
import { test } from "node:test";
import { containerImages, imageNames, librariesIn, type Sources, workloadImage } from "./containers.ts";

const from: Sources = {
  hyperkube: "/cache/hyperkube",
  coredns: "/cache/coredns",
  pause: "/cache/pause",
  root: "/cache/image/root",
  libraries: ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libx.so.1", "/lib64/ld-linux-x86-64.so.2"],
  applets: ["busybox", "sh", "httpd"],
};

const imageOf = (name: string) => {
  const found = containerImages(from).find((each) => each.name === name);
  assert.ok(found !== undefined, name);
  return found;
};

test("each name that the site takes is an image, with a tag, so that nothing is ever pulled", () => {
  for (const name of [...Object.values(imageNames), workloadImage]) {
    assert.match(name, /^localhost\/duet-lab\/[a-z]+:\S+$/);
    assert.doesNotMatch(name, /:latest$/);
    imageOf(name);
  }
});

test("a dynamic program finds its loader by the old path", () => {
  const { files, links } = imageOf(imageNames.proxy);
  assert.equal(files["/usr/sbin/nft"], "/cache/image/root/usr/sbin/nft");
  assert.equal(files["/usr/lib64/ld-linux-x86-64.so.2"], "/cache/image/root/lib64/ld-linux-x86-64.so.2");
  assert.equal(files["/usr/lib/libx.so.1"], "/cache/image/root/usr/lib/libx.so.1");
  assert.equal(links["/lib64"], "usr/lib64");
  // A file below a link would be lost, or be in the way of it.
  for (const path of Object.keys(files))
    assert.ok(!Object.keys(links).some((link) => path.startsWith(`${link}/`)), path);
});

test("Kubernetes' one program has all its names", () => {
  const { links } = imageOf(imageNames.apiserver);
  for (const name of ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"])
    assert.equal(links[`/usr/local/bin/${name}`], "hyperkube");
});

test("busybox does not become a link to itself", () => {
  const { links } = imageOf(workloadImage);
  assert.equal(links["/usr/bin/sh"], "busybox");
  assert.equal(links["/usr/bin/busybox"], undefined);
});

test("what ldd says is read: libraries, the loader, and nothing that is in no file", () => {
  const said = [
    "\tlinux-vdso.so.1 (0x00007f1e5c3fc000)",
    "\tlibnftables.so.1 => /lib/x86_64-linux-gnu/libnftables.so.1 (0x00007f1e5c2ee000)",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f1e5c3fe000)",
    "\tlibgone.so => not found",
    "",
  ].join("\n");
  assert.deepEqual(librariesIn(said), [
    "/lib/x86_64-linux-gnu/libnftables.so.1",
    "/lib64/ld-linux-x86-64.so.2",
  ]);
});
