import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  mkdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { run } from "../../src/machine/process.ts";
import type { ContainerImage } from "./containers.ts";

/** An OCI image layout: a folder with one image of one layer, as every container tool reads it. */

const types = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
} as const;

interface Blob {
  readonly digest: string;
  readonly size: number;
}

const archs: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

export function imageConfig(image: ContainerImage, layer: Blob, arch: string = process.arch): object {
  return {
    architecture: archs[arch] ?? arch,
    os: "linux",
    config: {
      Env: ["PATH=/usr/local/bin:/usr/bin:/usr/sbin"],
      ...(image.entrypoint === undefined ? {} : { Entrypoint: image.entrypoint }),
      ...(image.command === undefined ? {} : { Cmd: image.command }),
    },
    // The layer is not compressed, so its digest is that of its content.
    rootfs: { type: "layers", diff_ids: [layer.digest] },
    history: [{ created_by: "duet lab" }],
  };
}

export function imageManifest(config: Blob, layer: Blob): object {
  return {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, ...config },
    layers: [{ mediaType: types.layer, ...layer }],
  };
}

export function imageIndex(name: string, manifest: Blob): object {
  return {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: [
      {
        mediaType: types.manifest,
        ...manifest,
        annotations: { "org.opencontainers.image.ref.name": name },
      },
    ],
  };
}

/** Writes the layout of an image into a folder that is not there yet. */
export async function writeLayout(image: ContainerImage, folder: string): Promise<void> {
  const blobs = join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  const layer = await writeLayer(image, folder, blobs);
  const config = await writeBlob(blobs, imageConfig(image, layer));
  const manifest = await writeBlob(blobs, imageManifest(config, layer));
  await writeFile(join(folder, "index.json"), JSON.stringify(imageIndex(image.name, manifest)));
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

async function writeBlob(blobs: string, content: object): Promise<Blob> {
  const text = JSON.stringify(content);
  const hash = createHash("sha256").update(text).digest("hex");
  await writeFile(join(blobs, hash), text);
  return { digest: `sha256:${hash}`, size: Buffer.byteLength(text) };
}

async function writeLayer(image: ContainerImage, folder: string, blobs: string): Promise<Blob> {
  const root = join(folder, "root");
  await stage(image, root);
  const tar = join(folder, "layer.tar");
  // The same files are the same layer: no names, times or order of the host's.
  const same = [
    "--sort=name",
    "--mtime=@0",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--hard-dereference",
  ];
  await run(["tar", "--create", `--file=${tar}`, ...same, "--directory", root, "."], {
    deadline_ms: 300_000,
  });
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(tar)) hash.update(v.parse(v.instance(Buffer), chunk));
  const digest = hash.digest("hex");
  const { size } = await stat(tar);
  await rename(tar, join(blobs, digest));
  await rm(root, { recursive: true });
  return { digest: `sha256:${digest}`, size };
}

async function stage(image: ContainerImage, root: string): Promise<void> {
  await mkdir(root, { recursive: true });
  await mkdir(join(root, "tmp"));
  await chmod(join(root, "tmp"), 0o1777);
  for (const [path, source] of Object.entries(image.files)) await place(source, join(root, path));
  for (const [path, target] of Object.entries(image.links)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(target, join(root, path));
  }
}

/** A second name for a large file where that is possible, a copy elsewhere. Through links: the image has files. */
export async function place(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const file = await realpath(source);
  await link(file, target).catch(() => copyFile(file, target));
}
