import * as v from "valibot";
import type { Credentials } from "../site/site.ts";
import { changeResource, type Done, getResource } from "./client.ts";
import { failed, type Result, success } from "./failure.ts";
import type { Service } from "./transport.ts";

const link = v.object({ "@odata.id": v.pipe(v.string(), v.startsWith("/")) });
const root = v.object({ AccountService: v.optional(link) });
const accountService = v.object({
  Accounts: link,
  MinPasswordLength: v.nullish(v.number()),
  MaxPasswordLength: v.nullish(v.number()),
});
const collection = v.object({ Members: v.array(link) });
const account = v.object({
  "@odata.etag": v.optional(v.string()),
  UserName: v.nullish(v.string()),
  Links: v.nullish(v.object({ Role: v.nullish(link) })),
});
const role = v.object({ AssignedPrivileges: v.nullish(v.array(v.string())) });

/** Some BMCs list a fixed number of places, most of them empty; none has more than these. */
const accounts_max = 64;

/** The place of an account, and what its service asks of a password. */
export interface Account {
  readonly path: string;
  readonly etag?: string;
  /** Where its role is. */
  readonly role?: string;
  readonly characters: { readonly min: number; readonly max: number };
}

/** The account that these credentials log in as. Reads only. */
export async function findAccount(service: Service): Promise<Result<Account>> {
  const start = await getResource(service, "/redfish/v1/", root);
  if (!start.ok) return start;
  const at = start.value.body.AccountService?.["@odata.id"];
  if (at === undefined) return failed({ kind: "unsupported", what: "it has no AccountService" });
  const found = await getResource(service, at, accountService);
  if (!found.ok) return found;
  const { Accounts, MinPasswordLength, MaxPasswordLength } = found.value.body;
  const listed = await getResource(service, Accounts["@odata.id"], collection);
  if (!listed.ok) return listed;
  const paths = listed.value.body.Members.map((member) => member["@odata.id"]);
  for (const path of paths.slice(0, accounts_max)) {
    const each = await getResource(service, path, account);
    // A user may be allowed to see nobody's account but its own.
    if (!each.ok && each.failure.kind === "login") continue;
    if (!each.ok) return each;
    const { body, etag = body["@odata.etag"] } = each.value;
    if (body.UserName !== service.credentials.username) continue;
    const characters = { min: MinPasswordLength ?? 0, max: MaxPasswordLength || Number.MAX_SAFE_INTEGER };
    const named = body.Links?.Role?.["@odata.id"];
    return success({
      path,
      characters,
      ...(etag === undefined ? {} : { etag }),
      ...(named === undefined ? {} : { role: named }),
    });
  }
  return failed({
    kind: "unsupported",
    what: `none of its ${paths.length} accounts that this user may see is its own`,
  });
}

/**
 * Does the account's role have the privilege that Redfish asks of who resets a System, and of who changes one? Its own account and its
 * role each user may read. True is the BMC's word that it may; false may be one of a vendor that has privileges of its own for that.
 */
export async function mayConfigure(service: Service): Promise<Result<boolean>> {
  const own = await findAccount(service);
  if (!own.ok) return own;
  if (own.value.role === undefined) return failed({ kind: "unsupported", what: "its account names no role" });
  const found = await getResource(service, own.value.role, role);
  return found.ok
    ? success(found.value.body.AssignedPrivileges?.includes("ConfigureComponents") === true)
    : found;
}

/** From the moment in which this is taken the old password is refused. */
export const changePassword = async (
  service: Service,
  { path, etag }: Account,
  { password }: Credentials,
): Promise<Result<Done>> =>
  await changeResource(service, "PATCH", path, { Password: password.reveal() }, { ifMatch: etag });
