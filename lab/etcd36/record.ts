import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { writeCommitRecord } from "../../src/facts/commit-record.ts";
import { readMember } from "../../src/facts/facts.ts";
import { askOracle } from "./oracle.ts";
import type { Etcd } from "./process.ts";
import { copyFolder, memberId, Pair, scratch, versions } from "./testing.ts";

/**
 * `node lab/etcd36/record.ts`: records small WALs of real etcds, with what etcd's own packages read in them, for tests and
 * fuzzing on boxes where no etcd can run. Only needed when a new version of etcd is to be covered.
 */
const target = join(import.meta.dirname, "..", "..", "src", "facts", "fixtures");

async function recordAll(etcd: Etcd, programs: string): Promise<void> {
  await using folder = await scratch();
  const pair = await Pair.create(etcd, folder.path, ["--snapshot-count", "12"]);
  const { a, b } = pair;
  const record = async (name: string, about: string, from: string) => {
    const copy = join(folder.path, name);
    await copyFolder(from, copy);
    await save(`${name}-${etcd.version}`, `etcd ${etcd.version}: ${about}`, copy, programs);
  };
  try {
    await pair.startFirst();
    for (let n = 0; n < 15; n += 1) await a.put(`key${n}`, "v".repeat(n * 60));
    await a.kill();
    await record("alone", "a cluster of one with a snapshot", a.folder);
    a.start(pair.flags);
    await a.ready();
    await pair.join(b, a);
    await pair.promote(b, a);
    for (let n = 0; n < 5; n += 1) await b.put(`both${n}`, "v".repeat(n * 200));
    await pair.kill();
    await record("second", "the second of two voters, which began as a learner", b.folder);
    await pair.restart();
    const id = await memberId(b, a);
    await a.ctl(["member", "remove", id]);
    await b.ended();
    await record("removed", "a member that was removed", b.folder);
    await a.kill();
    await writeCommitRecord(a.folder, join(folder.path, "kept"));
    a.start([...pair.flags, "--force-new-cluster"]);
    await a.ready();
    await a.put("after", "x");
    await a.kill();
    await record("forced", "after --force-new-cluster", a.folder);
  } finally {
    await pair.kill();
  }
}

async function save(name: string, about: string, folder: string, programs: string): Promise<void> {
  const reading = readMember(folder);
  if (reading === undefined) throw new Error(`${folder} has no data`);
  const { tail } = reading.scan;
  const files: Record<string, string> = {};
  for (const part of ["wal", "snap"]) {
    for (const file of await readdir(join(folder, "member", part))) {
      if (!/\.(wal|snap)$/.test(file)) continue;
      const path = join(folder, "member", part, file);
      const bytes = await readFile(path);
      // What etcd set aside and did not use says nothing: a page of it is enough.
      const kept =
        path === tail.path ? bytes.subarray(0, Math.ceil(tail.offset / 4096) * 4096 + 4096) : bytes;
      files[`${part}/${file}`] = deflateSync(kept, { level: 9 }).toString("base64");
    }
  }
  const [oracle] = await askOracle(programs, [folder]);
  await mkdir(target, { recursive: true });
  await writeFile(join(target, `${name}.json`), `${JSON.stringify({ about, oracle, files }, null, 2)}\n`);
}

const [newest, ...others] = await versions();
for (const etcd of [newest, ...others]) await recordAll(etcd, newest.folder);
