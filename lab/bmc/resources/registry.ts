import { link, listed } from "../core/endpoint.ts";
import { definitions, registryVersion } from "../core/message.ts";
import { at, type Route } from "../core/router.ts";
import { odataType } from "../core/schema.ts";

const collection = "/redfish/v1/Registries";
const file = `${collection}/Base`;
const content = `${collection}/Base.${registryVersion}.json`;

/** The registry of the messages that errors here refer to. */
export function registryRoutes(): readonly Route[] {
  const messages = Object.fromEntries(
    Object.entries(definitions).map(([id, { text, severity, resolution }]) => {
      const args = new Set(text.match(/%\d/g)).size;
      return [
        id,
        {
          Description: text,
          Message: text,
          // Deprecated, and still required by sushy.
          Severity: severity,
          MessageSeverity: severity,
          NumberOfArgs: args,
          ...(args === 0 ? {} : { ParamTypes: Array.from({ length: args }, () => "string") }),
          Resolution: resolution,
        },
      ];
    }),
  );
  return [
    at(collection, {
      kind: "resource",
      id: collection,
      schema: "MessageRegistryFileCollection",
      read: () => listed("Registries", [file]),
    }),
    at(file, {
      kind: "resource",
      id: file,
      schema: "MessageRegistryFile",
      read: () => ({
        Id: "Base",
        Name: "Base Message Registry File",
        Languages: ["en"],
        Registry: `Base.${registryVersion.split(".").slice(0, 2).join(".")}`,
        Location: [{ Language: "en", Uri: content }],
      }),
    }),
    at(content, {
      kind: "document",
      type: "application/json",
      get: () => ({
        status: 200,
        body: {
          ...link(content),
          "@odata.type": odataType("MessageRegistry"),
          Id: `Base.${registryVersion}`,
          Name: "Base Message Registry",
          Description: "Those messages of the Base registry that this service sends, in the lab's words.",
          Language: "en",
          RegistryPrefix: "Base",
          RegistryVersion: registryVersion,
          OwningEntity: "duet lab",
          Messages: messages,
        },
      }),
    }),
  ];
}
