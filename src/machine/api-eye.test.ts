import assert from "node:assert/strict";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import { connect, createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { ApiEye } from "./api-eye.ts";
import { issue, makeAuthority, makeKey } from "./x509.ts";

const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) };
const authority = makeAuthority("test", makeKey(), validity);
const key = makeKey();
const cert = issue(authority, { commonName: "api", usages: ["server"], hosts: ["127.0.0.1"] }, key, validity);
const tls = () => Promise.resolve({ ca: authority.certificate });
const late_ms = 5_000;

interface Api {
  readonly port: number;
  readonly sessions: ServerHttp2Session[];
  status: number;
  answers: boolean;
  readonly end: () => Promise<void>;
}

const open: Api[] = [];
after(async () => {
  await Promise.all(open.map((each) => each.end()));
});

async function api(port = 0): Promise<Api> {
  const server: Http2SecureServer = createSecureServer({ key: key.reveal(), cert });
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const made: Api = {
    port: address.port,
    sessions,
    status: 200,
    answers: true,
    end: () => {
      for (const session of sessions) session.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
  server.on("stream", (stream) => {
    if (!made.answers) return;
    stream.respond({ ":status": made.status });
    stream.end(made.status === 200 ? "ok" : "[+]ping ok\n[-]etcd failed: reason withheld\n");
  });
  open.push(made);
  return made;
}

const eyeAt = (port: number) => new ApiEye(new URL(`https://127.0.0.1:${port}`), tls);

test("one connection is held, and asked again and again", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  assert.deepEqual(await eye.look("/readyz", late_ms), { lives: true, said: { status: 200, body: "ok" } });
  assert.deepEqual(await eye.look(undefined, late_ms), { lives: true, said: undefined });
  server.status = 500;
  const said = await eye.look("/readyz", late_ms);
  assert.ok(said.lives && said.said?.status === 500 && said.said.body.includes("[-]etcd failed"));
  assert.equal(server.sessions.length, 1);
  eye.close();
});

test("the end of the API server is seen by itself, and after it nobody is there", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  await eye.look(undefined, late_ms);
  const rest = eye.rest(late_ms);
  const begun_ms = performance.now();
  await server.end();
  await rest;
  assert.ok(performance.now() - begun_ms < late_ms);
  assert.deepEqual(await eye.look("/readyz", late_ms), { lives: false, why: "gone" });
});

test("one that is started again is found again", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  await eye.look(undefined, late_ms);
  const rest = eye.rest(late_ms);
  const begun_ms = performance.now();
  await server.end();
  await rest;
  assert.ok(performance.now() - begun_ms < late_ms);
  const again = await api(server.port);
  assert.equal((await eye.look("/readyz", late_ms)).lives, true);
  assert.equal(again.sessions.length, 1);
  eye.close();
});

test("one that says goodbye and goes on is met on another connection", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  await eye.look(undefined, late_ms);
  const rest = eye.rest(late_ms);
  server.sessions[0]?.goaway();
  await rest;
  assert.equal((await eye.look("/readyz", late_ms)).lives, true);
  assert.equal(server.sessions.length, 2);
  eye.close();
});

test("one that lives and does not say whether it is ready lives", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  await eye.look(undefined, late_ms);
  server.answers = false;
  assert.deepEqual(await eye.look("/readyz", 500), { lives: true, said: undefined });
  eye.close();
});

test("one that stands still is silent, before and after the connection", async () => {
  const server = await api();
  const middle = await wire(server.port);
  const eye = eyeAt(middle.port);
  assert.equal((await eye.look(undefined, late_ms)).lives, true);
  middle.stop();
  assert.deepEqual(await eye.look(undefined, 50), { lives: false, why: "silent" });
  assert.deepEqual(await eye.look(undefined, 50), { lives: false, why: "silent" });
  middle.end();
});

/** Between an eye and its API server; stopped, it takes connections and bytes and passes nothing on, like a process that is frozen. */
async function wire(to: number) {
  const sockets: Socket[] = [];
  let stopped = false;
  const server = createServer((from) => {
    sockets.push(from);
    from.on("error", () => undefined);
    if (stopped) return;
    const onward = connect(to, "127.0.0.1");
    sockets.push(onward);
    onward.on("error", () => undefined);
    from.pipe(onward).pipe(from);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    port: address.port,
    stop: () => {
      stopped = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    end: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("a pong that came while this program stood still counts", async () => {
  const server = await api();
  const eye = eyeAt(server.port);
  await eye.look(undefined, late_ms);
  const look = eye.look(undefined, 30);
  // The request goes out with the next turn of the loop, and the answer comes in the time in which nothing here runs.
  setImmediate(() => {
    const until_ms = performance.now() + 100;
    while (performance.now() < until_ms);
  });
  assert.deepEqual(await look, { lives: true, said: undefined });
  eye.close();
});

test("another one's certificate is none", async () => {
  const server = await api();
  const other = makeAuthority("other", makeKey(), validity);
  const eye = new ApiEye(new URL(`https://127.0.0.1:${server.port}`), () =>
    Promise.resolve({ ca: other.certificate }),
  );
  assert.deepEqual(await eye.look("/readyz", late_ms), { lives: false, why: "gone" });
});

test("credentials that are none are no reason to end", async () => {
  const server = await api();
  const eye = new ApiEye(new URL(`https://127.0.0.1:${server.port}`), () =>
    Promise.resolve({ ca: authority.certificate, cert: "torn", key: "torn" }),
  );
  assert.deepEqual(await eye.look("/readyz", late_ms), { lives: false, why: "gone" });
});
