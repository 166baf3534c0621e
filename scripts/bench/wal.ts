import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { encodeHardState, encodeRecord } from "../../src/facts/encode.ts";
import { readMemberFacts } from "../../src/facts/facts.ts";
import { hashOneKept, keepWal } from "../../src/facts/keep.ts";
import { record_type } from "../../src/facts/segment.ts";
import { segment_bytes } from "../../src/facts/wal.ts";
import { varint } from "../../src/facts/wire.ts";
import { now_ms } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { type BenchRow, type BenchTable, quantile } from "../bench-table.ts";
import { checkout } from "../tree.ts";

export const about = "reading etcd's WAL: what a machine pays for its facts before it may decide";

const rounds = 7;
const segments = 4;
const megabytes = (segments * segment_bytes) / 1e6;

export async function measure(progress: Progress): Promise<BenchTable> {
  const folder = await mkdtemp(join(tmpdir(), "duet-bench-"));
  try {
    const rows: BenchRow[] = [];
    for (const payload_bytes of [10_000, 1000, 100]) {
      const data = join(folder, String(payload_bytes));
      const paths = await progress.step(`a WAL of ${megabytes} MB, ${payload_bytes} bytes an entry`, () =>
        writeWal(data, payload_bytes),
      );
      rows.push(
        row(
          `read, ${payload_bytes} bytes an entry`,
          await times(async () => readMemberFacts(data)),
          await memoryOf(data),
        ),
      );
      if (payload_bytes === 1000)
        rows.push(row("copy with hashes", await times((n) => keepAll(paths, join(folder, `copy${n}`))), ""));
    }
    return {
      title: `${about} (${megabytes} MB in ${segments} segments)`,
      columns: ["p50_ms", "max_ms", "rate_mbps", "memory_mib"],
      rows,
      notes: [
        `${rounds} rounds with the files in the page cache; memory is the most that a process held that does only this.`,
      ],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function row(name: string, all: readonly number[], memory_mib: number | string): BenchRow {
  const p50_ms = quantile(all, 0.5);
  return {
    name,
    values: { p50_ms, max_ms: Math.max(...all), rate_mbps: (megabytes / p50_ms) * 1000, memory_mib },
  };
}

async function times(work: (round: number) => Promise<unknown>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const start_ms = now_ms();
    await work(round);
    if (round > 0) all.push(now_ms() - start_ms);
  }
  return all;
}

async function memoryOf(data: string): Promise<number> {
  const facts = JSON.stringify(join(checkout, "src/facts/facts.ts"));
  const program = `import { readMemberFacts } from ${facts}; readMemberFacts(${JSON.stringify(data)}); console.log(process.resourceUsage().maxRSS)`;
  const { stdout } = await run([process.execPath, "--input-type=module", "--eval", program]);
  return Number(stdout) / 1024;
}

/** Full segments of entries that all have the same length, as etcd would write them. */
async function writeWal(folder: string, payload_bytes: number): Promise<readonly string[]> {
  const wal = join(folder, "member", "wal");
  await mkdir(wal, { recursive: true });
  const paths: string[] = [];
  const payload = Buffer.alloc(payload_bytes, "etcd's payload ");
  const metadata = Uint8Array.from([
    0x08,
    ...varint(0xbdae9bbc11dd390dn),
    0x10,
    ...varint(0xd1cfaf999eb97a2an),
  ]);
  let crc = 0;
  let index = 0;
  for (let sequence = 0; sequence < segments; sequence += 1) {
    const hex = (value: number) => value.toString(16).padStart(16, "0");
    const path = join(wal, `${hex(sequence)}-${hex(sequence === 0 ? 0 : index + 1)}.wal`);
    paths.push(path);
    const out = createWriteStream(path, { highWaterMark: 1 << 20 });
    const done = { bytes: 0 };
    const write = async (type: number, data: Uint8Array) => {
      const record = encodeRecord(type, data, crc);
      crc = record.crc;
      done.bytes += record.bytes.length;
      if (!out.write(record.bytes)) await once(out, "drain");
    };
    await write(record_type.crc, new Uint8Array());
    await write(record_type.metadata, metadata);
    if (sequence === 0) await write(record_type.snapshot, Uint8Array.from([0x08, 0, 0x10, 0]));
    else await write(record_type.state, encodeHardState({ term: 2, vote: 1n, commit: index }));
    while (done.bytes < segment_bytes) {
      index += 1;
      const head = [0x08, 0, 0x10, 2, 0x18, ...varint(index), 0x22, ...varint(payload.length)];
      await write(record_type.entry, Buffer.concat([Uint8Array.from(head), payload]));
    }
    out.end();
    await finished(out);
  }
  return paths;
}

async function keepAll(segments: readonly string[], copy: string): Promise<void> {
  await keepWal(segments, copy);
  while (await hashOneKept(copy));
}
