import type { ProcessorConfig, Running } from "./config.ts";
import { link } from "./core/endpoint.ts";
import { has, readFaults } from "./fault.ts";
import type { Metal } from "./metal.ts";
import { MachinePower, type MachineTimes } from "./power/machine.ts";
import { chassesPath, chassisPath, chassisRoutes } from "./resources/chassis.ts";
import { mediaPath, mediaRoutes } from "./resources/media.ts";
import { systemPath, systemRoutes, systemsPath } from "./resources/system.ts";
import { logTo, Processor, uuidOf } from "./server/processor.ts";
import { type BmcState, bmcState } from "./state/state.ts";
import { Store } from "./state/store.ts";

export interface BmcConfig extends ProcessorConfig {
  readonly times: MachineTimes & {
    /** How long the service is away after Manager.Reset; default 2 s. */
    readonly manager_reset_ms?: number;
  };
  /** The BMC starts because its power came back: it applies PowerRestorePolicy, and some forget their tag. */
  readonly feedReturned?: boolean;
}

/** Starts the BMC of one machine: Redfish over HTTPS, state and faults in its folder. */
export async function startBmc(config: BmcConfig, metal: Metal): Promise<Running> {
  const store = await Store.open(config.folder, bmcState);
  const faults = () => readFaults(config.folder);
  const forget = async () => {
    if (has(faults(), "forgets-tag")) await store.update(() => ({ asset_tag: "" }));
    else if (has(faults(), "older-tag")) await store.update(({ older_tag }) => ({ asset_tag: older_tag }));
  };
  if (config.feedReturned === true) await forget();
  const power = new MachinePower(metal, {
    times: config.times,
    faults,
    wasOn: store.value.was_on,
    remember: (on) => store.update(() => ({ was_on: on })),
    booting: () => store.update(bootedOnce),
    log: logTo(config),
  });
  const processor = new Processor({
    config,
    store,
    product: "duet lab BMC",
    manager: {
      type: "BMC",
      more: {
        VirtualMedia: link(mediaPath),
        Links: {
          ManagerForServers: [link(systemPath)],
          ManagerForChassis: [link(chassisPath)],
          ManagerInChassis: link(chassisPath),
        },
      },
    },
    branches: [
      { name: "Systems", path: systemsPath },
      { name: "Chassis", path: chassesPath },
    ],
    routes: [
      ...systemRoutes({ name: config.name, uuid: uuidOf(config.name), power, store }),
      ...chassisRoutes(config.name, power),
      ...mediaRoutes(store),
    ],
    restart_ms: config.times.manager_reset_ms ?? 2_000,
    restarted: forget,
  });
  try {
    await processor.start();
    if (config.feedReturned === true && wantsPower(store.value)) await power.reset("On");
  } catch (error) {
    await power.close();
    throw error;
  }
  return {
    port: processor.port,
    close: async () => {
      await processor.close();
      await power.close();
      await store.settled();
    },
  };
}

/** What PowerRestorePolicy says to do when the feed is back. */
export function wantsPower(state: Pick<BmcState, "power_restore_policy" | "was_on">): boolean {
  switch (state.power_restore_policy) {
    case "AlwaysOn":
      return true;
    case "AlwaysOff":
      return false;
    case "LastState":
      return state.was_on;
  }
}

/** A boot override for once is used up by the boot that now begins. */
const bootedOnce = ({ boot }: BmcState): Partial<BmcState> =>
  boot.enabled === "Once" ? { boot: { ...boot, enabled: "Disabled", target: "None" } } : {};
