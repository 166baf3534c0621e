import type { ProcessorConfig, Running } from "./config.ts";
import type { Feed } from "./metal.ts";
import { type PowerTimes, Sequencer } from "./power/sequencer.ts";
import { outletRoutes, powerEquipmentPath } from "./resources/outlet.ts";
import { logTo, Processor } from "./server/processor.ts";
import { commonState } from "./state/state.ts";
import { Store } from "./state/store.ts";

export interface PduConfig extends ProcessorConfig {
  readonly times: PowerTimes & { readonly manager_reset_ms?: number };
}

/** Starts a power distribution unit, with an outlet for each of these feeds, by name. */
export async function startPdu(config: PduConfig, feeds: ReadonlyMap<string, Feed>): Promise<Running> {
  const store = await Store.open(config.folder, commonState);
  const log = logTo(config);
  const outlets = new Map(
    [...feeds].map(([name, feed]) => [
      name,
      new Sequencer(feed, config.times, (error) => {
        log(`outlet ${name} did not follow: ${String(error)}`);
      }),
    ]),
  );
  const processor = new Processor({
    config,
    store,
    product: "duet lab PDU",
    manager: { type: "ManagementController", more: {} },
    branches: [{ name: "PowerEquipment", path: powerEquipmentPath }],
    routes: outletRoutes(config.name, outlets),
    restart_ms: config.times.manager_reset_ms ?? 2_000,
    restarted: async () => undefined,
  });
  await processor.start();
  return {
    port: processor.port,
    close: async () => {
      await processor.close();
      for (const outlet of outlets.values()) await outlet.close();
      await store.settled();
    },
  };
}
