import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { testTls } from "../../../lab/bmc/testing.ts";
import { fingerprintOf } from "../../redfish/testing.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import type { Alert, Site } from "../../site/site.ts";
import { findSendmail, mailText } from "./mail.ts";
import { receiver, sample } from "./testing.ts";
import { lookAtWays, tryWays } from "./try.ts";
import { openWays } from "./ways.ts";

const tls = await testTls();
const folder = await mkdtemp(join(tmpdir(), "duet-ways-"));
after(() => rm(folder, { recursive: true }));
await writeFile(join(folder, "ca.pem"), tls.cert);
await writeFile(join(folder, "headers"), "# a comment\nAuthorization: Bearer s3cr3t\nX-Site:  shop \n", {
  mode: 0o600,
});

function siteOf(...alerts: readonly Alert[]): Site {
  const { site } = readSite(minimal, "site.yaml");
  assert.ok(site !== undefined);
  return { ...site, alerts };
}

const hook = (port: number, change: Partial<Extract<Alert, { by: "webhook" }>> = {}): Alert => ({
  by: "webhook",
  url: `https://127.0.0.1:${port}/duet`,
  trust: { by: "ca", file: "ca.pem" },
  ...change,
});

/** Why it was not taken, by the first way. */
async function sendBy(alert: Alert, deadline_ms = 5_000): Promise<string | undefined> {
  const [way] = await openWays(siteOf(alert), folder, deadline_ms);
  assert.ok(way !== undefined);
  return await way.send(sample("node1-1").message);
}

test("a webhook gets the message as JSON, with the headers of the file", async () => {
  await using server = await receiver(tls);
  assert.equal(await sendBy(hook(server.port, { headers: "headers" })), undefined);
  const [got] = server.got;
  assert.ok(got !== undefined);
  assert.deepEqual([got.method, got.path], ["POST", "/duet"]);
  assert.deepEqual(JSON.parse(got.body), sample("node1-1").message);
  assert.equal(got.headers["authorization"], "Bearer s3cr3t");
  assert.equal(got.headers["x-site"], "shop");
  assert.equal(got.headers["content-type"], "application/json");
});

test("every other answer, and none, is a reason", async () => {
  await using server = await receiver(tls);
  for (const [answer, why] of [
    [500, /status 500/],
    [401, /status 401/],
    [302, /redirects \(status 302\)/],
  ] as const) {
    server.answer = answer;
    assert.match((await sendBy(hook(server.port))) ?? "", why);
  }
  assert.equal(server.got.length, 3, "no redirect was followed");
  server.answer = "never";
  assert.match((await sendBy(hook(server.port), 200)) ?? "", /no complete answer within 200 ms/);
  const { port } = server;
  await server[Symbol.asyncDispose]();
  assert.match((await sendBy(hook(port))) ?? "", /can't be reached \(ECONNREFUSED\)/);
});

test("a certificate is checked unless the user says otherwise, and nothing is sent to one that is not believed", async () => {
  await using server = await receiver(tls);
  assert.match((await sendBy(hook(server.port, { trust: { by: "system" } }))) ?? "", /not trusted/);
  const wrong = { by: "fingerprint", sha256: "0".repeat(64) } as const;
  assert.match((await sendBy(hook(server.port, { trust: wrong }))) ?? "", /not trusted/);
  assert.equal(server.got.length, 0);
  const login = { username: "", password: "" };
  const right = { by: "fingerprint", sha256: fingerprintOf({ tls, login }) } as const;
  assert.equal(await sendBy(hook(server.port, { trust: right })), undefined);
  assert.equal(await sendBy(hook(server.port, { trust: { by: "nothing" } })), undefined);
});

test("an address from a file is a secret: what is shown of it is the host", async () => {
  await using server = await receiver(tls);
  const file = join(folder, "url");
  await writeFile(file, `https://127.0.0.1:${server.port}/services/T0K3N?x=1\n`, { mode: 0o600 });
  const alert = hook(server.port, { url: { file: "url" } });
  const ways = await openWays(siteOf(alert, alert), folder);
  assert.deepEqual(
    ways.map(({ name }) => name),
    [`webhook 127.0.0.1:${server.port}`, `webhook 127.0.0.1:${server.port} #2`],
  );
  assert.equal(await sendBy(alert), undefined);
  assert.equal(server.got[0]?.path, "/services/T0K3N?x=1");
  const { port } = server;
  await server[Symbol.asyncDispose]();
  const said = [await sendBy(alert), await lookAtWays(siteOf(alert), folder, 500), inspect(ways)];
  assert.ok(port > 0 && !JSON.stringify(said).includes("T0K3N"), JSON.stringify(said));
});

test("a file that others may read, or that is none, fails each try with its reason and its code", async () => {
  await writeFile(join(folder, "open"), "Authorization: Bearer s3cr3t\n");
  await writeFile(join(folder, "bad"), "Bearer s3cr3t\nX: y\r\nHost: z\n", { mode: 0o600 });
  await chmod(join(folder, "open"), 0o644);
  for (const [headers, why] of [
    ["open", /other users may read/],
    ["bad", /each line must be a header/],
    ["missing", /there is no such file/],
  ] as const) {
    const said = (await sendBy(hook(1, { headers }))) ?? "";
    assert.match(said, why);
    assert.doesNotMatch(said, /s3cr3t/);
    const [looked] = await lookAtWays(siteOf(hook(1, { headers })), folder, 500);
    assert.equal(looked?.code, "DUET-E-ALERT-FILE");
  }
});

test("a look reaches the webhook and checks its certificate, and sends nothing", async () => {
  await using server = await receiver(tls);
  const looks = await lookAtWays(
    siteOf(hook(server.port), hook(server.port, { trust: { by: "system" } }), hook(1)),
    folder,
    2_000,
  );
  assert.deepEqual(
    looks.map(({ ok }) => ok),
    [true, false, false],
  );
  assert.match(looks[0]?.detail ?? "", /nothing was sent/);
  assert.equal(server.got.length, 0);
});

/** A sendmail in front of the real one, for one test: it keeps its arguments and its input. */
async function withSendmail<T>(script: string, work: () => Promise<T>): Promise<T> {
  await writeFile(join(folder, "sendmail"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  try {
    return await work();
  } finally {
    process.env["PATH"] = before;
    await rm(join(folder, "sendmail"));
  }
}

const mail: Alert = { by: "mail", to: ["ops@example.org", "night@example.org"], from: "duet@example.org" };

test("mail goes to sendmail, with its recipients in the text", async () => {
  const keep = `echo "$@" > ${folder}/args; cat > ${folder}/mail`;
  assert.equal(await withSendmail(keep, () => sendBy(mail)), undefined);
  assert.equal(await readFile(join(folder, "args"), "utf8"), "-i -t -f duet@example.org\n");
  const text = await readFile(join(folder, "mail"), "utf8");
  assert.equal(text, mailText(mail, sample("node1-1").message));
  assert.match(text, /^From: duet@example\.org\nTo: ops@example\.org, night@example\.org\n/);
  assert.match(text, /^Subject: \[duet shop-0042\] node2 is lost: it went out of the cluster/m);
  assert.match(text, /^Date: Sun, 15 Nov 2026 03:12:07 \+0000$/m);
  assert.match(text, /^Message-ID: <node1-1@shop-0042\.duet>$/m);
});

test("no event can add a header or a recipient", () => {
  const { message } = sample("x", { kind: "resource-failed", why: "a\nBcc: thief@example.net\n\nbody" });
  const [head = ""] = mailText(mail, message).split("\n\n");
  assert.doesNotMatch(head, /^Bcc/m);
  assert.equal(head.match(/^To: /gm)?.length, 1);
});

test("a sendmail that refuses, hangs or is missing is a reason; the look says which is missing", async () => {
  assert.match(
    (await withSendmail("echo 'no such user' >&2; exit 67", () => sendBy(mail))) ?? "",
    /status 67: no such user/,
  );
  assert.match((await withSendmail("exec sleep 30", () => sendBy(mail, 300))) ?? "", /within 300 ms/);
  const [found] = await withSendmail("", () => lookAtWays(siteOf(mail), folder, 500));
  assert.ok(found?.ok === true && found.detail.startsWith(folder));
  if ((await findSendmail("")) === undefined) {
    const [missing] = await lookAtWays(siteOf(mail), folder, 500);
    assert.equal(missing?.code, "DUET-E-ALERT-SENDMAIL");
  }
});

test("a test message goes by each way at once, and each says how it went", async () => {
  await using server = await receiver(tls);
  const tried = await tryWays(siteOf(hook(server.port), hook(1)), "node1", folder, 2_000);
  assert.deepEqual(
    tried.map(({ ok, code }) => [ok, code]),
    [
      [true, undefined],
      [false, "DUET-E-ALERT-DELIVERY"],
    ],
  );
  const body: unknown = JSON.parse(server.got[0]?.body ?? "");
  assert.ok(typeof body === "object" && body !== null && "kind" in body && body.kind === "test");
});

test("syslog's look finds out whether anybody listens", async () => {
  const { hasSyslog } = await import("./syslog.ts");
  const socket = join(folder, "log");
  assert.equal(await hasSyslog(socket), false);
  const server: Server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  assert.equal(await hasSyslog(socket), true);
  await new Promise((resolve) => server.close(resolve));
});
