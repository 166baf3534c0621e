import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { bench, FakeMetal, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { Secret } from "../../base/secret.ts";
import { sleep } from "../../machine/clock.ts";
import { loadLogin } from "../../machine/logins.ts";
import { RedfishClient } from "../../redfish/client.ts";
import { type Passed, serviceAt, wayTo } from "../../redfish/testing.ts";
import { bmcEffects } from "../hands/bmc.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { Ways } from "../hands/ways.ts";
import { careForCredentials } from "./care.ts";
import { rotationOf } from "./keeper.ts";
import { rotate, type Rotating } from "./rotate.ts";
import { lineIn, Pair } from "./testing.ts";

const tls = await testTls();
const base = await mkdtemp(join(tmpdir(), "duet-rotate-"));
const lab = await bench({ metal: new FakeMetal(true) });
after(async () => {
  await lab[Symbol.asyncDispose]();
  await rm(base, { recursive: true });
});
let now = password;
let pair: Pair;
let node1: Rotating;
let node2: Rotating;
let rounds = 0;

/** Each test begins with a BMC whose password both know. */
beforeEach(async () => {
  await clearFaults(lab.folder);
  await begin(lab.bmc.port);
});

async function begin(port: number, witness: "on" | "off" = "on"): Promise<void> {
  rounds += 1;
  const site = twoMachines({ node1: "https://127.0.0.1:9", node2: `https://127.0.0.1:${port}` });
  pair = new Pair(join(base, String(rounds)), { ...site, witness });
  node1 = await pair.make("node1", line(now), tls.cert);
  node2 = await pair.make("node2", line(now), tls.cert);
}

const fresh = (text: string) => ({ username, password: new Secret(text) });
const line = (text: string) => `${username}:${text}\n`;
const codes = (error: unknown) => (error instanceof DuetError ? error.problems.map(({ code }) => code) : []);
const fails = async (work: Promise<unknown>, code: string) =>
  await assert.rejects(work, (error) => codes(error).includes(code) || assert.fail(String(error)));

/** The peer's agent, and fencing from both machines, all the while. What ever kept one of them from the BMC's power. */
async function meanwhile<T>(work: Promise<T>, cares = true): Promise<{ value: T; refused: string[] }> {
  const refused: string[] = [];
  const over = new AbortController();
  const look = async () => {
    while (!over.signal.aborted) {
      if (cares && pair.members.has("node2")) await careForCredentials(node2);
      for (const { me, folder, run, site } of [node1, node2]) {
        if (!pair.members.has(me)) continue;
        const bmc = site.machines[1]?.bmc ?? assert.fail();
        const login = await loadLogin(bmc.credentials, folder, run);
        const service = { ...serviceAt({ tls, login: { username, password: "" } }, lab.bmc.port), ...login };
        const power = await new RedfishClient(service).powerState();
        if (!power.ok) refused.push(`${me}: ${JSON.stringify(power.failure)}`);
      }
      await sleep(20);
    }
  };
  const looking = look();
  try {
    return { value: await work, refused };
  } finally {
    over.abort();
    await looking;
  }
}

test("duet changes the password: both machines prove it, and neither is without fencing for a moment", async () => {
  const { value, refused } = await meanwhile(
    rotate(node1, { machine: "node2", credentials: fresh("new $ecret: 1"), change: true }),
  );
  now = "new $ecret: 1";
  assert.deepEqual(value, {
    machine: "node2",
    here: "node1",
    changed: true,
    peer: { name: "node2", has: "proven" },
  });
  assert.deepEqual(refused, []);
  for (const { folder } of [node1, node2]) {
    assert.equal(await lineIn(folder), line(now));
    assert.equal(await lineIn(folder, "bmc.credentials.next"), undefined);
    assert.equal((await stat(join(folder, "bmc.credentials"))).mode & 0o777, 0o600);
  }
  // Which is also what fences.
  const ways = new Ways({ site: node1.site, me: "node1", folder: node1.folder });
  assert.deepEqual(await bmcEffects(ways).peerPower(2_000), { ok: true, value: "on" });
  assert.equal((await rotationOf(node1, "node2"))?.handOver, false);
});

test("nothing secret is in what the machines tell each other, nor in their notes", async () => {
  const secret = "nobody-reads-this-1";
  await meanwhile(rotate(node1, { machine: "node2", credentials: fresh(secret), change: true }));
  now = secret;
  const notes: string[] = [pair.words];
  for (const { rotations, run } of [node1, node2])
    for (const folder of [rotations, run])
      for (const name of await readdir(folder).catch(() => []))
        notes.push(await readFile(join(folder, name), "utf8"));
  assert.ok(notes.length > 2);
  for (const each of notes)
    assert.ok(!each.includes(secret) && !each.includes(Buffer.from(secret).toString("base64")));
  assert.ok(!lab.log.some((each) => each.includes(secret)));
});

test("somebody changed it at the BMC: the new ones are tested, used here at once and on the peer", async () => {
  const { status } = await lab.call("PATCH", "/redfish/v1/AccountService/Accounts/1", {
    body: { Password: "set by hand 1" },
    login: { username, password: now },
  });
  assert.ok(status < 300);
  now = "set by hand 1";
  await fails(
    rotate(node1, { machine: "node2", credentials: fresh("a typo in it"), change: false }),
    "DUET-E-REDFISH-LOGIN",
  );
  assert.equal(await lineIn(node1.folder, "bmc.credentials.next"), undefined, "nothing was changed");
  const { value } = await meanwhile(
    rotate(node1, { machine: "node2", credentials: fresh(now), change: false }),
  );
  assert.deepEqual([value.changed, value.peer.has], [false, "proven"]);
  for (const { folder } of [node1, node2]) assert.equal(await lineIn(folder), line(now));
});

test("the peer is away: it is changed here, and the peer gets it when it is back", async () => {
  pair.members.delete("node2");
  const before = now;
  const { value, refused } = await meanwhile(
    rotate(node1, { machine: "node2", credentials: fresh("while alone 1"), change: true }),
  );
  now = "while alone 1";
  assert.equal(value.peer.has, "later");
  assert.deepEqual(refused, []);
  assert.equal(await lineIn(node2.folder), line(before));
  assert.equal((await rotationOf(node1, "node2"))?.handOver, true);
  pair.members.add("node2");
  // In whichever order the two look.
  for (const each of [node2, node1, node2, node1]) await careForCredentials(each);
  assert.equal(await lineIn(node2.folder), line(now));
  assert.equal((await rotationOf(node1, "node2"))?.handOver, false);
});

test("a machine that can't tell whether its peer serves does not change the password", async () => {
  const lost: Rotating = { ...node1, peer: async () => "unknown" };
  await fails(
    rotate(lost, { machine: "node2", credentials: fresh("not told 1"), change: true }),
    "DUET-E-CREDENTIALS-ALONE",
  );
  const { status } = await lab.call("GET", "/redfish/v1/Systems/1", { login: { username, password: now } });
  assert.equal(status, 200);
});

test("a peer that is lost while it is waited for, and not proven off: nothing is changed", async () => {
  let looks = 0;
  const losing: Rotating = {
    ...node1,
    patience_ms: 300,
    heard: async () => undefined,
    peer: async () => (looks++ === 0 ? "there" : "unknown"),
  };
  await fails(
    rotate(losing, { machine: "node2", credentials: fresh("half told 1"), change: true }),
    "DUET-E-CREDENTIALS-PEER",
  );
  assert.equal(await lineIn(node1.folder, "bmc.credentials.next"), undefined);
});

test("a peer that does not take them in time: nothing is changed, on neither machine", async () => {
  await fails(
    meanwhile(
      rotate(
        { ...node1, patience_ms: 300 },
        { machine: "node2", credentials: fresh("never used 1"), change: true },
      ),
      false,
    ),
    "DUET-E-CREDENTIALS-PEER",
  );
  assert.equal(await lineIn(node1.folder, "bmc.credentials.next"), undefined);
  for (const each of [node2, node1]) await careForCredentials(each);
  for (const { folder } of [node1, node2]) {
    assert.equal(await lineIn(folder), line(now));
    assert.equal(await lineIn(folder, "bmc.credentials.next"), undefined);
  }
});

test("a BMC that refuses the password: the old one stays in use on both", async () => {
  await fails(
    rotate(node1, { machine: "node2", credentials: fresh("short"), change: true }),
    "DUET-E-CREDENTIALS-REFUSED",
  );
  await writeFault(lab.folder, parseFault("accepted-no-effect"));
  await fails(
    meanwhile(rotate(node1, { machine: "node2", credentials: fresh("no effect 1"), change: true })),
    "DUET-E-CREDENTIALS-UNPROVEN",
  );
  for (const { folder } of [node1, node2]) assert.equal(await lineIn(folder), line(now));
  // The next try goes over the one that was left.
  await clearFaults(lab.folder);
  const { refused } = await meanwhile(
    rotate(node1, { machine: "node2", credentials: fresh("at last 1"), change: true }),
  );
  now = "at last 1";
  assert.deepEqual(refused, []);
  for (const { folder } of [node1, node2]) assert.equal(await lineIn(folder), line(now));
});

test("both machines rotate at once: one of them wins, and both end with what the BMC takes", async () => {
  const work = await Promise.allSettled([
    rotate(node1, { machine: "node2", credentials: fresh("of node1 here 1"), change: true }),
    rotate(node2, { machine: "node2", credentials: fresh("of node2 here 1"), change: true }),
  ]);
  const [won] = work.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  for (let look = 0; look < 4; look += 1) for (const each of [node1, node2]) await careForCredentials(each);
  const held = await lineIn(node1.folder);
  assert.equal(held, await lineIn(node2.folder));
  now = (held ?? "").trimEnd().slice(username.length + 1);
  const { status } = await lab.call("GET", "/redfish/v1/Systems/1", { login: { username, password: now } });
  assert.equal(status, 200, `${JSON.stringify(won)} and the BMC does not take what both hold`);
});

test("wrong input is refused before anything is asked", async () => {
  const same = rotate(node1, { machine: "node2", credentials: fresh(now), change: true });
  await fails(same, "DUET-E-CREDENTIALS-SAME");
  const other = { username: "somebody", password: new Secret("long enough") };
  await fails(
    rotate(node1, { machine: "node2", credentials: other, change: true }),
    "DUET-E-CREDENTIALS-USER",
  );
  await fails(rotate(node1, { machine: "node3", credentials: other, change: true }), "DUET-E-USAGE");
});

test("a user that may only look is found before it is used", async () => {
  const login = { username, password: now };
  const body = { UserName: "looker", Password: "only looks 1", RoleId: "ReadOnly" };
  const { status } = await lab.call("POST", "/redfish/v1/AccountService/Accounts", { body, login });
  assert.equal(status, 201);
  const credentials = { username: "looker", password: new Secret(body.Password) };
  await fails(rotate(node1, { machine: "node2", credentials, change: false }), "DUET-E-CREDENTIALS-REFUSED");
  assert.equal(await lineIn(node1.folder), line(now));
});

test("another user is taken only where it is seen that it may switch: at 1+1", async () => {
  const login = { username, password: now };
  const body = { UserName: "second", Password: "may all 1", RoleId: "Administrator" };
  const { status } = await lab.call("POST", "/redfish/v1/AccountService/Accounts", { body, login });
  assert.equal(status, 201);
  const credentials = { username: "second", password: new Secret(body.Password) };
  const degraded: Rotating = { ...node1, isWhole: async () => false };
  await fails(
    rotate(degraded, { machine: "node2", credentials, change: false }),
    "DUET-E-CREDENTIALS-REFUSED",
  );
  assert.equal(await lineIn(node1.folder), line(now));
});

/** As of a BMC that gives no ETag, and perhaps no role of its users. */
const bare =
  (withRoles: boolean) =>
  async ({ ask }: Passed) => {
    const { status, headers, body } = await ask();
    const { etag: _, ...left } = headers;
    const hidden = body
      .replace('"@odata.etag":', '"ETag":')
      .replace(withRoles ? "no role" : '"Role":', '"Rule":');
    return { status, headers: left, body: hidden };
  };

test("where no tag can be tried, another user is taken only if its role may switch", async () => {
  const login = { username, password: now };
  const users = { looks: "ReadOnly", works: "Operator" };
  const passwordOf = (user: string) => `of ${user} here 1`;
  for (const [UserName, RoleId] of Object.entries(users)) {
    const body = { UserName, Password: passwordOf(UserName), RoleId };
    assert.equal(
      (await lab.call("POST", "/redfish/v1/AccountService/Accounts", { body, login })).status,
      201,
    );
  }
  const change = (name: keyof typeof users) => {
    const credentials = { username: name, password: new Secret(passwordOf(name)) };
    return meanwhile(rotate(node1, { machine: "node2", credentials, change: false }));
  };
  for (const [witness, shows] of [
    ["on", "no ETag"],
    ["off", "all"],
    ["off", "no ETag and no role"],
  ] as const) {
    const answer = shows === "all" ? ({ ask }: Passed) => ask() : bare(shows === "no ETag");
    await using way = await wayTo(lab.bmc.port, { tls }, answer);
    await begin(way.port, witness);
    await fails(change("looks"), "DUET-E-CREDENTIALS-REFUSED");
    for (const { folder } of [node1, node2]) {
      assert.equal(await lineIn(folder), line(now), `witness ${witness}, ${shows}`);
      assert.equal(await lineIn(folder, "bmc.credentials.next"), undefined);
    }
    if (shows === "no ETag and no role")
      await assert.rejects(change("works"), /nothing shows that its user may switch/);
    else assert.equal((await change("works")).value.peer.has, "proven", `witness ${witness}, ${shows}`);
  }
});

test("a BMC that answers a change with an error is asked which password it takes: both are kept until it says so", async () => {
  const work = rotate(node1, { machine: "node2", credentials: fresh("after an error 1"), change: true });
  const over = new AbortController();
  // The BMC begins to fail before the peer has them beside the old ones, so before the change.
  const failing = (async () => {
    while ((await rotationOf(node1, "node2")) === undefined) await sleep(5);
    await writeFault(lab.folder, parseFault("server-error"));
    while (!over.signal.aborted) {
      await careForCredentials(node2);
      await sleep(20);
    }
  })();
  try {
    await fails(work, "DUET-E-CREDENTIALS-UNPROVEN");
  } finally {
    over.abort();
    await failing;
  }
  for (const { folder, run } of [node1, node2]) {
    const bmc = node1.site.machines[1]?.bmc ?? assert.fail();
    const { logins } = await loadLogin(bmc.credentials, folder, run);
    assert.equal(logins?.inOrder.length, 2, "neither was thrown away");
  }
});
