import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { run } from "../../src/machine/process.ts";
import type { ContainerImage } from "./containers.ts";
import { imageConfig, imageIndex, imageManifest, writeLayout } from "./oci.ts";

const blob = { digest: "sha256:ab", size: 7 };
const image: ContainerImage = { name: "localhost/x:1", files: {}, links: {}, entrypoint: ["/x"] };

test("an image's configuration, manifest and index are what OCI asks for", () => {
  assert.deepEqual(imageConfig(image, blob, "x64"), {
    architecture: "amd64",
    os: "linux",
    config: { Env: ["PATH=/usr/local/bin:/usr/bin:/usr/sbin"], Entrypoint: ["/x"] },
    rootfs: { type: "layers", diff_ids: ["sha256:ab"] },
    history: [{ created_by: "duet lab" }],
  });
  assert.deepEqual(imageManifest(blob, { digest: "sha256:cd", size: 9 }), {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: "sha256:ab", size: 7 },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", digest: "sha256:cd", size: 9 }],
  });
  assert.deepEqual(imageIndex("localhost/x:1", blob), {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        ...blob,
        annotations: { "org.opencontainers.image.ref.name": "localhost/x:1" },
      },
    ],
  });
});

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-oci-"));
});
after(async () => {
  await rm(folder, { recursive: true });
});

test("the same files are the same image, every blob has the name of its content, and links are followed", async () => {
  const real = join(folder, "libx.so.1.0");
  await writeFile(real, "library", { mode: 0o755 });
  await symlink("libx.so.1.0", join(folder, "libx.so.1"));
  const whole: ContainerImage = {
    ...image,
    files: { "/usr/lib/libx.so.1": join(folder, "libx.so.1") },
    links: { "/lib": "usr/lib" },
  };
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  await writeLayout(whole, one);
  await utimes(real, 1, 1);
  await writeLayout(whole, two);
  const index = await readFile(join(one, "index.json"), "utf8");
  assert.equal(await readFile(join(two, "index.json"), "utf8"), index);
  const blobs = join(one, "blobs", "sha256");
  for (const name of await readdir(blobs))
    assert.equal(
      createHash("sha256")
        .update(await readFile(join(blobs, name)))
        .digest("hex"),
      name,
    );
  const schema = v.object({ layers: v.array(v.object({ digest: v.string() })) });
  const { manifests } = v.parse(
    v.object({ manifests: v.array(v.object({ digest: v.string() })) }),
    JSON.parse(index),
  );
  const hex = (digest = "") => digest.replace("sha256:", "");
  const manifest = await readFile(join(blobs, hex(manifests[0]?.digest)), "utf8");
  const layer = join(blobs, hex(v.parse(schema, JSON.parse(manifest)).layers[0]?.digest));
  const { stdout } = await run(["tar", "--list", "--verbose", "--numeric-owner", "--file", layer]);
  assert.match(stdout, /^-rwxr-xr-x 0\/0 +7 .* \.\/usr\/lib\/libx\.so\.1$/m);
  assert.match(stdout, /^lrwxrwxrwx 0\/0 .* \.\/lib -> usr\/lib$/m);
  assert.match(stdout, /^drwxrwxrwt 0\/0 .* \.\/tmp\/$/m);
});
