import type { Accounts } from "../auth/account.ts";
import type { Session, Sessions } from "../auth/session.ts";
import { refuse } from "../core/answer.ts";
import { integer } from "../core/check.ts";
import { link, listed, type ResourceEndpoint } from "../core/endpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { at, type Route } from "../core/router.ts";
import { type Fault, has } from "../fault.ts";
import { shown } from "../server/read.ts";
import type { CommonStore } from "../state/state.ts";

const service = "/redfish/v1/SessionService";
const collection = `${service}/Sessions`;

export function sessionRoutes(parts: {
  readonly store: CommonStore;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly faults: () => readonly Fault[];
}): readonly Route[] {
  const { store, accounts, sessions } = parts;
  const collected: ResourceEndpoint = {
    kind: "resource",
    id: collection,
    schema: "SessionCollection",
    read: () =>
      listed(
        "Sessions",
        sessions.all().map(({ id }) => `${collection}/${id}`),
      ),
    create: {
      open: true,
      run: async (body) => {
        const session = login(body, accounts, sessions, parts.faults());
        const answer = shown(sessionEndpoint(session, sessions), sessionProperties(session), 201);
        return {
          ...answer,
          headers: {
            ...answer.headers,
            location: `${collection}/${session.id}`,
            "x-auth-token": session.token,
          },
        };
      },
    },
  };
  return [
    at(service, {
      kind: "resource",
      id: service,
      schema: "SessionService",
      write: "ConfigureManager",
      read: () => ({
        Id: "SessionService",
        Name: "Session Service",
        Status: { State: "Enabled", Health: "OK" },
        ServiceEnabled: true,
        SessionTimeout: store.value.session_timeout_s,
        Sessions: link(collection),
      }),
      patch: {
        properties: { SessionTimeout: integer(30, 86_400) },
        apply: async (changes) => {
          const seconds = changes.get("SessionTimeout");
          if (typeof seconds === "number") await store.update(() => ({ session_timeout_s: seconds }));
        },
      },
    }),
    at(collection, collected),
    // POST goes to a collection or to its Members (DSP0266, "POST (create)").
    at(`${collection}/Members`, collected),
    {
      path: `${collection}/{}`,
      find: (id) => {
        const session = id === undefined ? undefined : sessions.find(id);
        return session && sessionEndpoint(session, sessions);
      },
    },
  ];
}

function login(body: JsonObject, accounts: Accounts, sessions: Sessions, faults: readonly Fault[]): Session {
  const { UserName: username, Password: password } = body;
  if (username === undefined) refuse(400, "PropertyMissing", "UserName");
  if (password === undefined) refuse(400, "PropertyMissing", "Password");
  if (typeof username !== "string") refuse(400, "PropertyValueTypeError", "***", "UserName");
  if (typeof password !== "string") refuse(400, "PropertyValueTypeError", "***", "Password");
  const account = accounts.authenticate(username, password);
  if (account === undefined) refuse(401, "NoValidSession");
  const session = has(faults, "session-limit") ? undefined : sessions.open(account.id, username);
  return session ?? refuse(503, "SessionLimitExceeded");
}

const sessionProperties = (session: Session): JsonObject => ({
  Id: session.id,
  Name: "User Session",
  UserName: session.username,
});

const sessionEndpoint = (session: Session, sessions: Sessions): ResourceEndpoint => ({
  kind: "resource",
  id: `${collection}/${session.id}`,
  schema: "Session",
  may: (caller) => caller.account === session.account || caller.privileges.has("ConfigureManager"),
  read: () => sessionProperties(session),
  remove: async () => {
    sessions.close(session.id);
  },
});
