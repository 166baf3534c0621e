/** The schema of each kind of resource that the lab's BMC and PDU serve, in the version that its bodies follow. */
export const schemas = {
  AccountService: "v1_15_0",
  Chassis: "v1_25_0",
  ComputerSystem: "v1_22_0",
  Manager: "v1_19_0",
  ManagerAccount: "v1_12_0",
  ManagerNetworkProtocol: "v1_9_0",
  MessageRegistry: "v1_6_0",
  MessageRegistryFile: "v1_1_3",
  Outlet: "v1_4_0",
  PowerDistribution: "v1_3_0",
  PowerEquipment: "v1_2_0",
  Role: "v1_3_1",
  ServiceRoot: "v1_17_0",
  Session: "v1_7_0",
  SessionService: "v1_1_9",
  Task: "v1_7_0",
  TaskService: "v1_2_0",
  VirtualMedia: "v1_6_0",
} as const;
export type Schema = keyof typeof schemas;

/** Collections have no version. */
export const collections = [
  "ChassisCollection",
  "ComputerSystemCollection",
  "ManagerAccountCollection",
  "ManagerCollection",
  "MessageRegistryFileCollection",
  "OutletCollection",
  "PowerDistributionCollection",
  "RoleCollection",
  "SessionCollection",
  "TaskCollection",
  "VirtualMediaCollection",
] as const;
export type Collection = (typeof collections)[number];

/** The home of Redfish schemas is part of the standard: names below it are identifiers, nothing fetches them. */
const home = "http://redfish.dmtf.org/schemas/v1";

const isCollection = (name: Schema | Collection): name is Collection =>
  collections.some((collection) => collection === name);

export const odataType = (name: Schema | Collection): string =>
  isCollection(name) ? `#${name}.${name}` : `#${name}.${schemas[name]}.${name}`;

export const describedBy = (name: Schema | Collection): string =>
  `<${home}/${name}${isCollection(name) ? "" : `.${schemas[name]}`}.json>; rel=describedby`;

function reference(file: string, namespaces: readonly string[]): string {
  const includes = namespaces.map((namespace) => `    <edmx:Include Namespace="${namespace}"/>`);
  return [`  <edmx:Reference Uri="${home}/${file}_v1.xml">`, ...includes, "  </edmx:Reference>"].join("\n");
}

/** The OData metadata document: which schemas a client meets here, and the service's container. */
export function metadata(): string {
  const extensions = `  <edmx:Reference Uri="${home}/RedfishExtensions_v1.xml">
    <edmx:Include Namespace="RedfishExtensions.v1_0_0" Alias="Redfish"/>
  </edmx:Reference>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">
${[
  ...Object.entries(schemas).map(([name, version]) => reference(name, [name, `${name}.${version}`])),
  ...collections.map((name) => reference(name, [name])),
  reference("Message", ["Message", "Message.v1_2_1"]),
  reference("Resource", ["Resource", "Resource.v1_0_0"]),
  extensions,
].join("\n")}
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">
      <EntityContainer Name="Service" Extends="ServiceRoot.${schemas.ServiceRoot}.ServiceContainer"/>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`;
}
