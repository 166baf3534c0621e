import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import { test } from "node:test";
import { sleep, until } from "../../src/machine/clock.ts";
import { Progress } from "../../src/machine/progress.ts";
import { scratch } from "../etcd36/testing.ts";
import { makeCertificates } from "../etcd36/testing-tls.ts";
import { Crowd } from "./crowd.ts";
import { ensureClients } from "./program.ts";

/** Answers of etcd's, as gRPC frames them: a header with revision 1, and for a swap that it was done. */
const header = [0x0a, 0x02, 0x18, 0x01];
const framed = (message: readonly number[]): Buffer => Buffer.from([0, 0, 0, 0, message.length, ...message]);
const wellAnswered = framed(header);
const swapDone = framed([...header, 0x10, 0x01]);

/** Says what an etcd says, as far as the clients look, and can be told what to leave unanswered. */
class FakeEtcd {
  reads = true;
  writes = true;
  readonly #server: Http2SecureServer;
  readonly #connections = new Set<{ readonly destroy: () => void }>();

  constructor(cert: string, key: string) {
    this.#server = createSecureServer({ cert, key });
    this.#server.on("session", (session) => {
      this.#connections.add(session);
      session.on("error", () => undefined);
      session.on("close", () => this.#connections.delete(session));
    });
    this.#server.on("stream", (stream, headers) => this.#answer(stream, headers[":path"] ?? ""));
  }

  #answer(stream: ServerHttp2Stream, path: string): void {
    stream.on("error", () => undefined);
    stream.resume();
    if (path.endsWith("/Range") ? !this.reads : !this.writes) return;
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(path.endsWith("/Txn") ? swapDone : wellAnswered);
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    assert.ok(address !== null && typeof address === "object");
    return address.port;
  }

  breakConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  close(): void {
    this.breakConnections();
    this.#server.close();
  }
}

/** A takeover kills the survivor's etcd, and that ends what hung there; a machine without power breaks its connections seconds later. */
for (const lives of [true, false])
  test(`a write that a broken connection ends counts for as long as its etcd ${lives ? "answered others" : "had answered others, and no longer"}`, async () => {
    await using folder = await scratch();
    const { ca, cert, key } = await makeCertificates(folder.path);
    const etcd = new FakeEtcd(await readFile(cert, "utf8"), await readFile(key, "utf8"));
    const port = await etcd.listen();
    const crowd = await Crowd.begin({
      program: await ensureClients(new Progress()),
      enter: async (argv) => [...argv],
      connection: ["-endpoint", `a=127.0.0.1:${port}`, "-ca", ca, "-cert", cert, "-key", key],
      folder: folder.path,
    });
    try {
      etcd.writes = false;
      await sleep(lives ? 3_000 : 1_000);
      etcd.reads = lives;
      const { longest_us: during_us } = await crowd.fresh();
      if (!lives) await sleep(2_500);
      etcd.writes = true;
      etcd.breakConnections();
      await until("they are ended", async () => (await crowd.fresh()).open >= 100, { deadline_ms: 20_000 });
      const { longest_us, hung } = crowd.status;
      assert.ok(during_us > (lives ? 2_000_000 : 500_000), `${during_us} µs while it was under way`);
      if (lives) assert.ok(longest_us > 2_800_000, `${longest_us} µs`);
      else assert.ok(longest_us < 2_500_000, `${longest_us} µs`);
      assert.equal(hung, 0);
    } finally {
      crowd.kill();
      etcd.close();
    }
  });
