import * as v from "valibot";
import { roleNames } from "../auth/role.ts";

const account = v.strictObject({
  id: v.string(),
  username: v.string(),
  role: v.picklist(roleNames),
  enabled: v.boolean(),
  /** `configured`: the one that the BMC was started with, which is not written down here. */
  password: v.union([v.literal("configured"), v.strictObject({ salt: v.string(), hash: v.string() })]),
});
export type StoredAccount = v.InferOutput<typeof account>;

const commonEntries = {
  accounts: v.optional(v.array(account), []),
  ntp_servers: v.optional(v.array(v.string()), []),
  session_timeout_s: v.optional(v.number(), 1800),
};

/** What each management processor keeps. */
export const commonState = v.strictObject(commonEntries);
export type CommonState = v.InferOutput<typeof commonState>;
/** The part of a store that accounts, sessions and the network protocol need. */
export interface CommonStore {
  readonly value: CommonState;
  update(change: (value: CommonState) => Partial<CommonState>): Promise<void>;
}

export const restorePolicies = ["AlwaysOn", "AlwaysOff", "LastState"] as const;
export const bootTargets = ["None", "Pxe", "Cd", "Hdd", "BiosSetup"] as const;
export const bootEnabled = ["Disabled", "Once", "Continuous"] as const;
export const bootModes = ["UEFI", "Legacy"] as const;

/** What a BMC keeps besides. */
export const bmcState = v.strictObject({
  ...commonEntries,
  asset_tag: v.optional(v.string(), ""),
  /** The one that stood there before. */
  older_tag: v.optional(v.string(), ""),
  power_restore_policy: v.optional(v.picklist(restorePolicies), "LastState"),
  /** Whether the machine was on when last looked at: what `LastState` goes by. */
  was_on: v.optional(v.boolean(), false),
  boot: v.optional(
    v.strictObject({
      enabled: v.picklist(bootEnabled),
      target: v.picklist(bootTargets),
      mode: v.picklist(bootModes),
    }),
    { enabled: "Disabled", target: "None", mode: "UEFI" },
  ),
  media: v.optional(
    v.strictObject({ image: v.string(), inserted: v.boolean(), write_protected: v.boolean() }),
  ),
});
export type BmcState = v.InferOutput<typeof bmcState>;
