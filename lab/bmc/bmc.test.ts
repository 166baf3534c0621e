import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../../src/machine/clock.ts";
import { wantsPower } from "./bmc.ts";
import { isList, isObject, type Json } from "./core/json.ts";
import { bench, FakeMetal, password, type Reply, username } from "./testing.ts";

const system = "/redfish/v1/Systems/1";
const reset = `${system}/Actions/ComputerSystem.Reset`;
const sessions = "/redfish/v1/SessionService/Sessions";

const lab = await bench({ metal: new FakeMetal(true) });
after(() => lab[Symbol.asyncDispose]());

const messageId = (reply: Reply): string | undefined =>
  /"MessageId":"Base\.[\d.]+\.(\w+)"/.exec(reply.body)?.[1];

const linksIn = (value: Json): readonly string[] => {
  if (isList(value)) return value.flatMap(linksIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    (name === "@odata.id" || name === "Uri" || name === "TaskMonitor") && typeof inner === "string"
      ? [inner]
      : linksIn(inner),
  );
};

test("every link in the tree leads to a resource with a tag, a type and its own address", async () => {
  const seen = new Set<string>();
  const queue = ["/redfish/v1/"];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const reply = await lab.call("GET", path);
    assert.equal(reply.status, 200, path);
    assert.equal(reply.headers["odata-version"], "4.0", path);
    assert.match(reply.headers["allow"] ?? "", /GET/, path);
    assert.match(JSON.stringify(reply.json["@odata.type"]), /^"#\w+\.(v\d+_\d+_\d+\.)?\w+"$/, path);
    if (!path.endsWith(".json")) {
      assert.equal(reply.json["@odata.id"], path);
      assert.equal(reply.json["@odata.etag"], reply.headers["etag"], path);
      assert.match(reply.headers["link"] ?? "", /rel=describedby/, path);
    }
    queue.push(...linksIn(reply.json));
  }
  assert.ok(seen.size > 20, [...seen].join(" "));
});

test("the service root and the OData documents need no login, everything else does", async () => {
  for (const path of [
    "/redfish",
    "/redfish/v1",
    "/redfish/v1/",
    "/redfish/v1/odata",
    "/redfish/v1/$metadata",
  ])
    assert.equal((await lab.call("GET", path, { login: "none" })).status, 200, path);
  for (const path of [system, sessions, "/redfish/v1/nothing", reset]) {
    const reply = await lab.call("GET", path, { login: "none" });
    assert.equal(reply.status, 401, path);
    assert.match(reply.headers["www-authenticate"] ?? "", /^Basic/);
  }
});

test("a session: login, use, logout", async () => {
  const login = await lab.call("POST", sessions, {
    login: "none",
    body: { UserName: username, Password: password },
  });
  assert.equal(login.status, 201);
  const token = login.headers["x-auth-token"] ?? "";
  const location = login.headers["location"] ?? "";
  const headers = { "x-auth-token": token };
  assert.equal((await lab.call("GET", system, { login: "none", headers })).status, 200);
  assert.equal((await lab.call("DELETE", location, { login: "none", headers })).status, 204);
  assert.equal((await lab.call("GET", system, { login: "none", headers })).status, 401);
});

test("a wrong password is refused and not sent back", async () => {
  const guess = "Gu3ss-the-password";
  const reply = await lab.call("POST", sessions, {
    login: "none",
    body: { UserName: username, Password: guess },
  });
  assert.equal(reply.status, 401);
  assert.ok(!reply.body.includes(guess));
  assert.equal((await lab.call("GET", system, { login: { username, password: guess } })).status, 401);
});

test("a password in Latin-1, as Python's requests sends it, is the same password", async () => {
  const pair = Buffer.from(`${username}:${password}`, "latin1").toString("base64");
  const reply = await lab.call("GET", system, { login: "none", headers: { authorization: `Basic ${pair}` } });
  assert.equal(reply.status, 200);
});

test("wrong method, wrong address, wrong type, wrong version, too much: each its own status", async () => {
  const put = await lab.call("PUT", system, { body: {} });
  assert.equal(put.status, 405);
  assert.equal(put.headers["allow"], "GET, HEAD, PATCH");
  assert.equal((await lab.call("GET", "/redfish/v1/Systems/2")).status, 404);
  assert.equal((await lab.call("GET", "/redfish/v1//Systems")).status, 404);
  assert.equal((await lab.call("GET", "/redfish/v1/%zz")).status, 404);
  assert.equal((await lab.call("GET", "/redfish/v1/Systems/1/")).status, 200);
  assert.equal((await lab.call("GET", "/redfish/v1/%24metadata")).status, 200);
  const version = await lab.call("GET", system, { headers: { "odata-version": "4.1" } });
  assert.equal(version.status, 412);
  assert.equal((await lab.call("GET", system, { headers: { accept: "text/html" } })).status, 406);
  const xml = await lab.call("PATCH", system, { text: "<a/>", headers: { "content-type": "text/xml" } });
  assert.equal(xml.status, 415);
  const malformed = await lab.call("PATCH", system, { text: "{" });
  assert.equal(malformed.status, 400);
  assert.equal(messageId(malformed), "MalformedJSON");
  const long = await lab.call("PATCH", system, { text: JSON.stringify({ AssetTag: "x".repeat(100_000) }) });
  assert.equal(long.status, 413);
  assert.equal((await lab.call("GET", `${system}?$expand=*`)).status, 501);
  assert.equal((await lab.call("GET", `${system}?unknown=1`)).status, 200);
});

test("HEAD is GET without the body", async () => {
  const head = await lab.call("HEAD", system);
  const get = await lab.call("GET", system);
  assert.equal(head.body, "");
  assert.equal(head.headers["etag"], get.headers["etag"]);
  assert.equal(head.headers["content-length"], get.headers["content-length"]);
});

test("collections can be taken in parts, and `only` gives the one member", async () => {
  const roles = "/redfish/v1/AccountService/Roles";
  const part = await lab.call("GET", `${roles}?$skip=1&$top=1`);
  assert.equal(part.json["Members@odata.count"], 3);
  assert.deepEqual(part.json["Members"], [{ "@odata.id": `${roles}/Operator` }]);
  assert.equal(part.json["Members@odata.nextLink"], `${roles}?$skip=2&$top=1`);
  assert.equal((await lab.call("GET", `${roles}?$top=x`)).status, 400);
  assert.equal((await lab.call("GET", "/redfish/v1/Systems?only")).json["@odata.id"], system);
  assert.equal((await lab.call("GET", "/redfish/v1/Systems?only=1")).status, 400);
});

test("If-None-Match saves a body, If-Match guards a change", async () => {
  const before = await lab.call("GET", system);
  const etag = before.headers["etag"] ?? "";
  const unchanged = await lab.call("GET", system, { headers: { "if-none-match": etag } });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.body, "");
  const patch = await lab.call("PATCH", system, {
    body: { AssetTag: "guarded" },
    headers: { "if-match": `W/${etag}` },
  });
  assert.equal(patch.status, 200);
  assert.notEqual(patch.headers["etag"], etag);
  const late = await lab.call("PATCH", system, { body: { AssetTag: "late" }, headers: { "if-match": etag } });
  assert.equal(late.status, 412);
  assert.equal((await lab.call("GET", system)).json["AssetTag"], "guarded");
});

test("of many who change the same version at once, one wins", async () => {
  const etag = (await lab.call("GET", system)).headers["etag"] ?? "";
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      lab.call("PATCH", system, { body: { AssetTag: `racer ${i}` }, headers: { "if-match": etag } }),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ status }) => status === 412).length, 7);
});

test("a read-only account reads and changes nothing but its own password", async () => {
  const accounts = "/redfish/v1/AccountService/Accounts";
  const login = { username: "reader", password: "Reader-Pass-1" };
  const made = await lab.call("POST", accounts, {
    body: { UserName: login.username, Password: login.password, RoleId: "ReadOnly" },
  });
  assert.equal(made.status, 201);
  assert.equal(made.json["Password"], null);
  const own = made.headers["location"] ?? "";
  assert.equal((await lab.call("GET", system, { login })).status, 200);
  assert.equal((await lab.call("PATCH", system, { login, body: { AssetTag: "x" } })).status, 403);
  assert.equal((await lab.call("POST", reset, { login, body: { ResetType: "ForceOff" } })).status, 403);
  assert.equal(
    (await lab.call("PATCH", `${accounts}/1`, { login, body: { Password: "Other-Pass-1" } })).status,
    403,
  );
  assert.equal((await lab.call("PATCH", own, { login, body: { RoleId: "Administrator" } })).status, 403);
  assert.equal((await lab.call("PATCH", own, { login, body: { Password: "Reader-Pass-2" } })).status, 200);
  assert.equal((await lab.call("GET", system, { login })).status, 401);
  assert.equal((await lab.call("DELETE", `${accounts}/1`)).status, 405);
  assert.equal((await lab.call("DELETE", own)).status, 204);
});

test("virtual media: insert, refuse a second, eject", async () => {
  const drive = "/redfish/v1/Managers/1/VirtualMedia/Cd";
  const insert = `${drive}/Actions/VirtualMedia.InsertMedia`;
  const image = "https://192.0.2.10/install.iso";
  assert.equal((await lab.call("POST", insert, { body: {} })).status, 400);
  assert.equal((await lab.call("POST", insert, { body: { Image: "no address" } })).status, 400);
  assert.equal((await lab.call("POST", insert, { body: { Image: image } })).status, 204);
  const inserted = (await lab.call("GET", drive)).json;
  assert.equal(inserted["Image"], image);
  assert.equal(inserted["Inserted"], true);
  assert.equal((await lab.call("POST", insert, { body: { Image: image } })).status, 409);
  const eject = await lab.call("POST", `${drive}/Actions/VirtualMedia.EjectMedia`, { body: {} });
  assert.equal(eject.status, 204);
  assert.equal((await lab.call("GET", drive)).json["Inserted"], false);
});

test("Manager.Reset: away for a moment, back with the state, without the sessions", async () => {
  await using own = await bench();
  await own.call("PATCH", system, { body: { AssetTag: "kept" } });
  const login = await own.call("POST", sessions, {
    login: "none",
    body: { UserName: username, Password: password },
  });
  const headers = { "x-auth-token": login.headers["x-auth-token"] ?? "" };
  const answer = await own.call("POST", "/redfish/v1/Managers/1/Actions/Manager.Reset", {
    body: { ResetType: "GracefulRestart" },
  });
  assert.equal(answer.status, 204);
  await until(
    "the session is gone",
    async () => {
      const reply = await own.call("GET", system, { login: "none", headers }).catch(() => undefined);
      return reply?.status === 401;
    },
    { deadline_ms: 5_000, every_ms: 10 },
  );
  assert.equal((await own.call("GET", system)).json["AssetTag"], "kept");
});

test("state survives the death of the process", async () => {
  await using own = await bench();
  const boot = { BootSourceOverrideEnabled: "Continuous", BootSourceOverrideTarget: "Pxe" };
  await own.call("PATCH", system, { body: { AssetTag: "kept", PowerRestorePolicy: "AlwaysOn", Boot: boot } });
  await own.restart();
  const { json } = await own.call("GET", system);
  assert.equal(json["AssetTag"], "kept");
  assert.equal(json["PowerRestorePolicy"], "AlwaysOn");
  assert.ok(isObject(json["Boot"]));
  assert.equal(json["Boot"]["BootSourceOverrideTarget"], "Pxe");
});

test("PowerRestorePolicy decides what the return of the feed does", async () => {
  assert.ok(wantsPower({ power_restore_policy: "AlwaysOn", was_on: false }));
  assert.ok(!wantsPower({ power_restore_policy: "AlwaysOff", was_on: true }));
  await using own = await bench();
  await own.call("POST", reset, { body: { ResetType: "On" } });
  await until("the machine is on", async () => own.metal.powered, { deadline_ms: 5_000, every_ms: 5 });
  await own.restart();
  own.metal.powered = false;
  await own.restart({ feedReturned: true });
  await until("the machine is on again", async () => own.metal.powered, { deadline_ms: 5_000, every_ms: 5 });
});

test("a BMC that only crashed leaves the machine's power as it is", async () => {
  await using own = await bench();
  await own.call("PATCH", system, { body: { PowerRestorePolicy: "AlwaysOn" } });
  await own.restart();
  assert.equal((await own.call("GET", system)).json["PowerState"], "Off");
  assert.deepEqual(own.metal.done, []);
});
