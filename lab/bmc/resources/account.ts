import { type Accounts, accounts_max, factoryAccount } from "../auth/account.ts";
import { isRole, type Role, roleNames, roles } from "../auth/role.ts";
import type { Sessions } from "../auth/session.ts";
import { refuse, refuseAll } from "../core/answer.ts";
import type { Caller } from "../core/caller.ts";
import { boolean, type Check, oneOf, text, wrongProperty } from "../core/check.ts";
import { link, listed, type ResourceEndpoint } from "../core/endpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { message } from "../core/message.ts";
import type { Changes } from "../core/patch.ts";
import { at, type Route } from "../core/router.ts";
import { shown } from "../server/read.ts";
import type { StoredAccount } from "../state/state.ts";

const service = "/redfish/v1/AccountService";
const accountsPath = `${service}/Accounts`;
const rolesPath = `${service}/Roles`;
const password_characters = { min: 8, max: 64 };

const checks = {
  UserName: text({ characters_max: 32, form: /^[^\s:]{1,32}$/ }),
  Password: text({
    characters_max: password_characters.max,
    form: new RegExp(`^.{${password_characters.min},}$`, "s"),
  }),
  RoleId: oneOf(roleNames),
  Enabled: boolean,
} satisfies Record<string, Check>;

export function accountRoutes(accounts: Accounts, sessions: Sessions): readonly Route[] {
  return [
    at(service, {
      kind: "resource",
      id: service,
      schema: "AccountService",
      read: () => ({
        Id: "AccountService",
        Name: "Account Service",
        Status: { State: "Enabled", Health: "OK" },
        ServiceEnabled: true,
        HTTPBasicAuth: "Enabled",
        MinPasswordLength: password_characters.min,
        MaxPasswordLength: password_characters.max,
        Accounts: link(accountsPath),
        Roles: link(rolesPath),
      }),
    }),
    at(accountsPath, collected(accounts, sessions)),
    {
      path: `${accountsPath}/{}`,
      find: (id) => {
        const account = id === undefined ? undefined : accounts.find(id);
        return account && accountEndpoint(account.id, accounts, sessions);
      },
    },
    at(rolesPath, {
      kind: "resource",
      id: rolesPath,
      schema: "RoleCollection",
      read: () =>
        listed(
          "Roles",
          roleNames.map((role) => `${rolesPath}/${role}`),
        ),
    }),
    ...roleNames.map((role) => at(`${rolesPath}/${role}`, roleEndpoint(role))),
  ];
}

const roleEndpoint = (role: Role): ResourceEndpoint => ({
  kind: "resource",
  id: `${rolesPath}/${role}`,
  schema: "Role",
  read: () => ({
    Id: role,
    Name: `${role} Role`,
    RoleId: role,
    IsPredefined: true,
    AssignedPrivileges: [...roles[role]],
  }),
});

const collected = (accounts: Accounts, sessions: Sessions): ResourceEndpoint => ({
  kind: "resource",
  id: accountsPath,
  schema: "ManagerAccountCollection",
  write: "ConfigureUsers",
  read: () =>
    listed(
      "Accounts",
      accounts.all().map(({ id }) => `${accountsPath}/${id}`),
    ),
  create: {
    run: async (body) => {
      const id = await create(body, accounts);
      const endpoint = accountEndpoint(id, accounts, sessions);
      const answer = shown(endpoint, await endpoint.read(), 201);
      return { ...answer, headers: { ...answer.headers, location: endpoint.id } };
    },
  },
});

async function create(body: JsonObject, accounts: Accounts): Promise<string> {
  const errors = Object.entries(body).flatMap(([name, value]) => {
    if (name.startsWith("@odata.")) return [];
    const check = Object.entries(checks).find(([known]) => known === name)?.[1];
    if (check === undefined) return [message("PropertyUnknown", [name.slice(0, 100)])];
    const wrong = check(value);
    // A refused password is not sent back.
    return wrong === undefined ? [] : [wrongProperty(wrong, name === "Password" ? "***" : value, name)];
  });
  if (errors.length > 0) refuseAll(400, errors.slice(0, 20));
  const { UserName: username, Password: password, RoleId: role, Enabled: enabled = true } = body;
  if (typeof username !== "string") refuse(400, "PropertyMissing", "UserName");
  if (typeof password !== "string") refuse(400, "PropertyMissing", "Password");
  if (!isRole(role)) refuse(400, "PropertyMissing", "RoleId");
  if (accounts.named(username) !== undefined)
    refuse(409, "ResourceAlreadyExists", "ManagerAccount", "UserName", username);
  if (accounts.all().length >= accounts_max) refuse(400, "CreateLimitReachedForResource");
  return await accounts.create(username, password, role, enabled === true);
}

function accountEndpoint(id: string, accounts: Accounts, sessions: Sessions): ResourceEndpoint {
  return {
    kind: "resource",
    id: `${accountsPath}/${id}`,
    schema: "ManagerAccount",
    // One's own password is one's own affair; a role is not.
    may: (caller, method) =>
      caller.privileges.has("ConfigureUsers") || (caller.account === id && method !== "DELETE"),
    read: () => accountProperties(accounts.find(id) ?? refuse(404, "ResourceMissingAtURI", id)),
    patch: {
      properties: id === factoryAccount ? { Password: checks.Password } : checks,
      apply: (changes, caller) => change(id, changes, caller, accounts),
    },
    ...(id === factoryAccount
      ? {}
      : {
          remove: async () => {
            await accounts.remove(id);
            sessions.closeOf(id);
          },
        }),
  };
}

async function change(id: string, changes: Changes, caller: Caller, accounts: Accounts): Promise<void> {
  const others = [...changes.keys()].filter((name) => name !== "Password");
  if (others.length > 0 && !caller.privileges.has("ConfigureUsers")) refuse(403, "InsufficientPrivilege");
  const username = changes.get("UserName");
  const role = changes.get("RoleId");
  const enabled = changes.get("Enabled");
  const password = changes.get("Password");
  const owner = typeof username === "string" ? accounts.named(username) : undefined;
  if (owner !== undefined && owner.id !== id)
    refuse(409, "ResourceAlreadyExists", "ManagerAccount", "UserName", owner.username);
  await accounts.change(id, {
    ...(typeof username === "string" ? { username } : {}),
    ...(isRole(role) ? { role } : {}),
    ...(typeof enabled === "boolean" ? { enabled } : {}),
  });
  if (typeof password === "string") await accounts.setPassword(id, password);
}

const accountProperties = (account: StoredAccount): JsonObject => ({
  Id: account.id,
  Name: "User Account",
  UserName: account.username,
  Password: null,
  RoleId: account.role,
  Enabled: account.enabled,
  Locked: false,
  AccountTypes: ["Redfish"],
  Links: { Role: link(`${rolesPath}/${account.role}`) },
});
