import assert from "node:assert/strict";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { bench, FakeMetal, password, testTls, username } from "../../lab/bmc/testing.ts";
import { Secret } from "../base/secret.ts";
import { loadLogin, nextOf } from "../machine/logins.ts";
import { changePassword, findAccount } from "./accounts.ts";
import { RedfishClient } from "./client.ts";
import type { Result } from "./failure.ts";
import { fakeService, serviceAt } from "./testing.ts";

const kit = { tls: await testTls(), login: { username, password } };
const folder = await mkdtemp(join(tmpdir(), "duet-logins-"));
const lab = await bench({ metal: new FakeMetal(true) });
after(async () => {
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
const file = join(folder, "bmc");
const put = (path: string, line: string, mode = 0o600) => writeFile(path, line, { mode });
beforeEach(async () => {
  for (const each of [file, nextOf(file), join(folder, "bmc-logins")]) await rm(each, { force: true });
  await put(file, `${username}:${password}\n`);
});
const login = () => loadLogin({ file: "bmc" }, folder, folder);
const clientAt = async (port: number) => new RedfishClient({ ...serviceAt(kit, port), ...(await login()) });
function value<T>(result: Result<T>): T {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

test("without a new file, or with one that is not for duet alone, there is only the old one", async () => {
  const count = async () => (await login()).logins?.inOrder.length;
  assert.equal(await count(), 1);
  await put(nextOf(file), "admin:new-password\n", 0o644);
  assert.equal(await count(), 1);
  await rm(nextOf(file));
  await put(nextOf(file), "no colon\n");
  assert.equal(await count(), 1);
});

test("each of the two is tried, and the one that is refused not a second time, by nobody of this boot", async () => {
  await put(nextOf(file), "admin:new-password\n");
  const seen: string[] = [];
  const right = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  await using bmc = await fakeService(kit, ({ path, authorization }) => {
    seen.push(authorization === right ? "old" : "new");
    if (authorization !== right && path !== "/redfish/v1/") return { status: 401 };
    return {
      body: {
        Systems: { "@odata.id": "/redfish/v1/Systems" },
        Members: [{ "@odata.id": "/redfish/v1/Systems/1" }],
        PowerState: "On",
      },
    };
  });
  assert.equal(value(await (await clientAt(bmc.port)).powerState()), "On");
  // That the root was answered says nothing.
  assert.deepEqual(seen.splice(0), ["new", "new", "old", "old"]);
  assert.equal(value(await (await clientAt(bmc.port)).powerState()), "On");
  assert.deepEqual(seen.splice(0), ["old", "old", "old"]);
  // Another rotation: the file is another one, and what was noted of the one before is void.
  await rename(nextOf(file), file);
  await put(nextOf(file), "admin:newer-password\n");
  assert.equal((await login()).logins?.inOrder[0]?.password.reveal(), "newer-password");
});

test("a command that would go out too late with the second credentials is not sent", async () => {
  await put(nextOf(file), "admin:new-password\n");
  const posted: string[] = [];
  await using bmc = await fakeService(kit, ({ method, path }) => {
    if (method === "POST") posted.push(path);
    return { status: 401 };
  });
  const known = { path: "/redfish/v1/Systems/1", reset: { target: "/redfish/v1/Systems/1/Reset" } };
  const client = new RedfishClient({ ...serviceAt(kit, bmc.port), ...(await login()), known });
  // In time for the first ones, and not any more when those are refused.
  const late = await client.reset("ForceOff", () => posted.length === 0);
  assert.ok(!late.ok && late.failure.kind === "deadline");
  assert.equal(posted.length, 1);
});

test("a password that is changed between the two tries: the one that came too early is tried again", async () => {
  await put(nextOf(file), "admin:new-password\n");
  const fresh = `Basic ${Buffer.from("admin:new-password").toString("base64")}`;
  const seen: string[] = [];
  await using bmc = await fakeService(kit, ({ path, authorization }) => {
    if (path === "/redfish/v1/") return { body: { Systems: { "@odata.id": "/redfish/v1/Systems" } } };
    seen.push(authorization === fresh ? "new" : "old");
    // At its first call the BMC still wants the old one, and from then on the new one.
    if (seen.length === 1 || authorization !== fresh) return { status: 401 };
    return { body: { Members: [{ "@odata.id": "/redfish/v1/Systems/1" }], PowerState: "On" } };
  });
  assert.equal(value(await (await clientAt(bmc.port)).powerState()), "On");
  assert.deepEqual(seen.slice(0, 3), ["new", "old", "new"]);
});

test("a password is changed at the account that it is of, and a fence goes on working through it", async () => {
  const changed = "another $ecret: ü";
  const service = serviceAt(kit, lab.bmc.port);
  const account = value(await findAccount(service));
  assert.equal(account.path, "/redfish/v1/AccountService/Accounts/1");
  assert.deepEqual(account.characters, { min: 8, max: 64 });
  await put(nextOf(file), `${username}:${changed}\n`);
  const before = await clientAt(lab.bmc.port);
  assert.equal(value(await before.powerState()), "On");
  value(await changePassword(service, account, { username, password: new Secret(changed) }));
  // The very client that has learned that the old one is right.
  assert.equal(value(await before.powerState()), "On");
  assert.equal(value(await (await clientAt(lab.bmc.port)).powerState()), "On");
  const old = await new RedfishClient(service).powerState();
  assert.ok(!old.ok && old.failure.kind === "login");
});

test("who has read the file before it was changed reads it again when it is refused, and only then", async () => {
  const early = await clientAt(lab.bmc.port);
  assert.equal((await early.powerState()).ok, false, "of the test before");
  await put(file, `${username}:another $ecret: ü\n`);
  assert.equal(value(await early.powerState()), "On");
});

test("a BMC without an AccountService says so", async () => {
  await using bmc = await fakeService(kit, () => ({ body: { Systems: { "@odata.id": "/x" } } }));
  const found = await findAccount(serviceAt(kit, bmc.port));
  assert.ok(!found.ok && found.failure.kind === "unsupported");
});
