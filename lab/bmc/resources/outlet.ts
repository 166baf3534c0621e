import { noContent, refuse } from "../core/answer.ts";
import { oneOf } from "../core/check.ts";
import { type Endpoint, link, listed } from "../core/endpoint.ts";
import { at, type Route } from "../core/router.ts";
import { planReset, type ResetType } from "../power/reset.ts";
import type { Sequencer } from "../power/sequencer.ts";

export const powerEquipmentPath = "/redfish/v1/PowerEquipment";
const pdusPath = `${powerEquipmentPath}/RackPDUs`;
const pduPath = `${pdusPath}/1`;
const outletsPath = `${pduPath}/Outlets`;

/** The values of Outlet.PowerControl, and the reset of a machine that each is like. */
const controls = { On: "On", Off: "ForceOff", PowerCycle: "PowerCycle" } as const satisfies Record<
  string,
  ResetType
>;
const controlNames = ["On", "Off", "PowerCycle"] as const;

export function outletRoutes(name: string, outlets: ReadonlyMap<string, Sequencer>): readonly Route[] {
  return [
    at(powerEquipmentPath, {
      kind: "resource",
      id: powerEquipmentPath,
      schema: "PowerEquipment",
      read: () => ({
        Id: "PowerEquipment",
        Name: "Power Equipment",
        Status: { State: "Enabled", Health: "OK" },
        RackPDUs: link(pdusPath),
      }),
    }),
    at(pdusPath, {
      kind: "resource",
      id: pdusPath,
      schema: "PowerDistributionCollection",
      read: () => listed("Rack PDUs", [pduPath]),
    }),
    at(pduPath, {
      kind: "resource",
      id: pduPath,
      schema: "PowerDistribution",
      read: () => ({
        Id: "1",
        Name: name,
        EquipmentType: "RackPDU",
        Manufacturer: "duet lab",
        Model: "Lab PDU",
        Status: { State: "Enabled", Health: "OK" },
        Outlets: link(outletsPath),
      }),
    }),
    at(outletsPath, {
      kind: "resource",
      id: outletsPath,
      schema: "OutletCollection",
      read: () =>
        listed(
          "Outlets",
          [...outlets.keys()].map((outlet) => `${outletsPath}/${outlet}`),
        ),
    }),
    ...[...outlets].flatMap(([outlet, power]) => [
      at(`${outletsPath}/${outlet}`, outletEndpoint(outlet, power)),
      at(`${outletsPath}/${outlet}/Actions/Outlet.PowerControl`, controlEndpoint(power)),
    ]),
  ];
}

const outletEndpoint = (outlet: string, power: Sequencer): Endpoint => ({
  kind: "resource",
  id: `${outletsPath}/${outlet}`,
  schema: "Outlet",
  read: async () => ({
    Id: outlet,
    Name: `Outlet of ${outlet}`,
    PhaseWiringType: "OnePhase3Wire",
    PowerEnabled: true,
    PowerState: await power.state(),
    Status: { State: "Enabled", Health: "OK" },
    Actions: {
      "#Outlet.PowerControl": {
        target: `${outletsPath}/${outlet}/Actions/Outlet.PowerControl`,
        "PowerState@Redfish.AllowableValues": controlNames,
      },
    },
  }),
});

const controlEndpoint = (power: Sequencer): Endpoint => ({
  kind: "action",
  name: "Outlet.PowerControl",
  write: "ConfigureComponents",
  parameters: { PowerState: { required: true, check: oneOf(controlNames) } },
  run: async (values) => {
    const asked = controlNames.find((one) => one === values.get("PowerState"));
    if (asked === undefined)
      return refuse(400, "ActionParameterMissing", "Outlet.PowerControl", "PowerState");
    const state = await power.state();
    // Unlike a machine, an outlet that is off takes a cycle for an on: what hangs on it shall run afterwards.
    const plan = planReset(asked === "PowerCycle" && state === "Off" ? "On" : controls[asked], state);
    if (plan.do === "steps") power.start(plan.steps);
    else if (plan.do === "stay off") power.stayOff();
    else if (plan.do === "refuse") refuse(409, "ResourceInUse");
    return noContent;
  },
});
