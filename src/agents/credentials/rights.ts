import { fail } from "../../base/problem.ts";
import { mayConfigure } from "../../redfish/accounts.ts";
import type { RedfishClient } from "../../redfish/client.ts";
import { problemOf } from "../../redfish/failure.ts";
import type { Credentials, Machine } from "../../site/site.ts";
import { checkTag } from "../check/tag.ts";
import { fileOf, type Keeper, serviceWith } from "./keeper.ts";

const code = "DUET-E-CREDENTIALS-REFUSED";

/**
 * A user may be allowed to look and not to switch. Redfish asks the same privilege of who changes a System and of who resets it, so a write
 * of the tag that is there is the best proof. Where that can't be tried (no ETag), or where the site has no witness and the BMC no tag that
 * can be written, the privileges of the user's role are asked for. Who fences with what neither has shown finds out when a machine is lost.
 */
export async function refuseUnlessMaySwitch(
  keeper: Pick<Keeper, "site" | "folder">,
  target: Machine,
  client: RedfishClient,
  credentials: Credentials,
): Promise<void> {
  const { url } = target.bmc;
  // Also without a witness: only what is there is written, and only if nobody wrote in between.
  const tag = await checkTag(target, client, "on");
  if (tag.mark === "ok") return;
  const isDenied = tag.code === "DUET-E-REDFISH-LOGIN";
  if (isDenied || (tag.mark === "fail" && keeper.site.witness === "on"))
    fail(
      code,
      url,
      `its user may read and not change: ${tag.detail}; nothing was changed`,
      "see the user on the BMC's pages",
    );
  const role = await mayConfigure(await serviceWith(keeper, target, credentials));
  if (role.ok && role.value) return;
  const why = role.ok ? "its role has no ConfigureComponents" : problemOf(role.failure, url).what;
  fail(
    code,
    url,
    `nothing shows that its user may switch the machine off (its tag: ${tag.detail}; its role: ${why}); nothing was changed`,
    `give the user a role that may, or keep the old user and change its password (\`--change\`); if you know that it may, write its line into ${fileOf(keeper, target.name)} on both machines, and \`duet fence-test ${target.name} --disruptive\` proves it`,
  );
}
