import { link, listed } from "../core/endpoint.ts";
import { at, type Route } from "../core/router.ts";
import type { MachinePower } from "../power/machine.ts";
import { powerState } from "./power-state.ts";

export const chassesPath = "/redfish/v1/Chassis";
export const chassisPath = `${chassesPath}/1`;

export function chassisRoutes(name: string, power: MachinePower): readonly Route[] {
  return [
    at(chassesPath, {
      kind: "resource",
      id: chassesPath,
      schema: "ChassisCollection",
      read: () => listed("Chassis", [chassisPath]),
    }),
    at(chassisPath, {
      kind: "resource",
      id: chassisPath,
      schema: "Chassis",
      read: async () => ({
        Id: "1",
        Name: `${name} chassis`,
        ChassisType: "RackMount",
        Manufacturer: "duet lab",
        Model: "Lab Machine",
        ...powerState(await power.shown()),
        Status: { State: "Enabled", Health: "OK" },
        Links: {
          ComputerSystems: [link("/redfish/v1/Systems/1")],
          ManagedBy: [link("/redfish/v1/Managers/1")],
        },
      }),
    }),
  ];
}
