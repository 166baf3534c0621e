import { noContent, refuse } from "../core/answer.ts";
import { nullable, oneOf, text } from "../core/check.ts";
import { link, listed } from "../core/endpoint.ts";
import type { JsonObject } from "../core/json.ts";
import type { Changes } from "../core/patch.ts";
import { at, type Route } from "../core/router.ts";
import type { MachinePower } from "../power/machine.ts";
import { isResetType, resetTypes } from "../power/reset.ts";
import type { PowerState } from "../power/sequencer.ts";
import { bootEnabled, bootModes, bootTargets, type BmcState, restorePolicies } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import { chassisPath } from "./chassis.ts";
import { managerPath } from "./manager.ts";
import { powerState } from "./power-state.ts";

export const systemsPath = "/redfish/v1/Systems";
export const systemPath = `${systemsPath}/1`;
const reset = `${systemPath}/Actions/ComputerSystem.Reset`;

/** The least that any shipped BMC was seen to take: what fits here fits everywhere. */
export const asset_tag_characters_max = 31;

export interface SystemOptions {
  readonly name: string;
  readonly uuid: string;
  readonly power: MachinePower;
  readonly store: Store<BmcState>;
}

export function systemRoutes(options: SystemOptions): readonly Route[] {
  const { store, power } = options;
  return [
    at(systemsPath, {
      kind: "resource",
      id: systemsPath,
      schema: "ComputerSystemCollection",
      read: () => listed("Systems", [systemPath]),
    }),
    at(systemPath, {
      kind: "resource",
      id: systemPath,
      schema: "ComputerSystem",
      write: "ConfigureComponents",
      read: async () => systemProperties(options, await power.shown()),
      patch: {
        properties: {
          AssetTag: nullable(text({ characters_max: asset_tag_characters_max, form: /^[\x20-\x7e]*$/ })),
          PowerRestorePolicy: oneOf(restorePolicies),
          "Boot/BootSourceOverrideEnabled": oneOf(bootEnabled),
          "Boot/BootSourceOverrideTarget": oneOf(bootTargets),
          "Boot/BootSourceOverrideMode": oneOf(bootModes),
        },
        apply: (changes) => store.update((state) => changed(state, changes)),
      },
    }),
    at(reset, {
      kind: "action",
      name: "ComputerSystem.Reset",
      write: "ConfigureComponents",
      parameters: { ResetType: { required: true, check: oneOf(resetTypes) } },
      run: async (values) => {
        const type = values.get("ResetType");
        if (!isResetType(type)) refuse(400, "ActionParameterMissing", "ComputerSystem.Reset", "ResetType");
        await power.reset(type);
        return noContent;
      },
    }),
  ];
}

function systemProperties(options: SystemOptions, state: PowerState | undefined): JsonObject {
  const { asset_tag, power_restore_policy, boot } = options.store.value;
  return {
    Id: "1",
    Name: options.name,
    SystemType: "Physical",
    HostName: options.name,
    Manufacturer: "duet lab",
    Model: "Lab Machine",
    SerialNumber: options.uuid.slice(0, 8).toUpperCase(),
    UUID: options.uuid,
    AssetTag: asset_tag,
    ...powerState(state),
    PowerRestorePolicy: power_restore_policy,
    Status: { State: state === "Off" ? "StandbyOffline" : "Enabled", Health: "OK" },
    Boot: {
      BootSourceOverrideEnabled: boot.enabled,
      BootSourceOverrideTarget: boot.target,
      BootSourceOverrideMode: boot.mode,
      "BootSourceOverrideTarget@Redfish.AllowableValues": bootTargets,
      "BootSourceOverrideEnabled@Redfish.AllowableValues": bootEnabled,
      "BootSourceOverrideMode@Redfish.AllowableValues": bootModes,
    },
    VirtualMediaConfig: { ServiceEnabled: true },
    Links: {
      Chassis: [link(chassisPath)],
      ManagedBy: [link(managerPath)],
    },
    Actions: {
      "#ComputerSystem.Reset": { target: reset, "ResetType@Redfish.AllowableValues": resetTypes },
    },
  };
}

const picked = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value);

function changed(state: BmcState, changes: Changes): Partial<BmcState> {
  const tag = changes.get("AssetTag");
  const asset_tag = typeof tag === "string" ? tag : "";
  const isNew = tag !== undefined && asset_tag !== state.asset_tag;
  return {
    ...(isNew ? { asset_tag, older_tag: state.asset_tag } : {}),
    power_restore_policy:
      picked(restorePolicies, changes.get("PowerRestorePolicy")) ?? state.power_restore_policy,
    boot: {
      enabled: picked(bootEnabled, changes.get("Boot/BootSourceOverrideEnabled")) ?? state.boot.enabled,
      target: picked(bootTargets, changes.get("Boot/BootSourceOverrideTarget")) ?? state.boot.target,
      mode: picked(bootModes, changes.get("Boot/BootSourceOverrideMode")) ?? state.boot.mode,
    },
  };
}
