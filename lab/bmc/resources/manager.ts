import { type Answer, noContent } from "../core/answer.ts";
import { oneOf, patchedList, text } from "../core/check.ts";
import { link, listed } from "../core/endpoint.ts";
import { isList, type Json, type JsonObject } from "../core/json.ts";
import { at, type Route } from "../core/router.ts";
import type { CommonStore } from "../state/state.ts";

export const managersPath = "/redfish/v1/Managers";
export const managerPath = `${managersPath}/1`;
const protocol = `${managerPath}/NetworkProtocol`;
const resetTarget = `${managerPath}/Actions/Manager.Reset`;
const resetTypes = ["GracefulRestart", "ForceRestart"];
const ntp_servers_max = 4;

export interface ManagerOptions {
  readonly type: "BMC" | "ManagementController";
  readonly name: string;
  readonly uuid: string;
  readonly serviceUuid: string;
  readonly port: () => number;
  /** What else the manager shows: links to what it manages, virtual media. */
  readonly more: JsonObject;
  /** Runs once the answer is sent. */
  readonly restart: () => void;
}

export function managerRoutes(store: CommonStore, options: ManagerOptions): readonly Route[] {
  return [
    at(managersPath, {
      kind: "resource",
      id: managersPath,
      schema: "ManagerCollection",
      read: () => listed("Managers", [managerPath]),
    }),
    at(managerPath, {
      kind: "resource",
      id: managerPath,
      schema: "Manager",
      read: () => ({
        Id: "1",
        Name: options.name,
        ManagerType: options.type,
        Manufacturer: "duet lab",
        Model: "Lab BMC",
        FirmwareVersion: "1.0.0",
        UUID: options.uuid,
        ServiceEntryPointUUID: options.serviceUuid,
        PowerState: "On",
        Status: { State: "Enabled", Health: "OK" },
        NetworkProtocol: link(protocol),
        ...options.more,
        Actions: {
          "#Manager.Reset": { target: resetTarget, "ResetType@Redfish.AllowableValues": resetTypes },
        },
      }),
    }),
    at(resetTarget, {
      kind: "action",
      name: "Manager.Reset",
      write: "ConfigureManager",
      // Without a type the standard leaves the kind of reset to the manager.
      parameters: { ResetType: { required: false, check: oneOf(resetTypes) } },
      run: async (): Promise<Answer> => ({ ...noContent, after: options.restart }),
    }),
    networkProtocol(store, options),
  ];
}

function networkProtocol(store: CommonStore, options: ManagerOptions): Route {
  return at(protocol, {
    kind: "resource",
    id: protocol,
    schema: "ManagerNetworkProtocol",
    write: "ConfigureManager",
    read: () => ({
      Id: "NetworkProtocol",
      Name: "Manager Network Protocol",
      Status: { State: "Enabled", Health: "OK" },
      HTTP: { ProtocolEnabled: false, Port: null },
      HTTPS: { ProtocolEnabled: true, Port: options.port() },
      SSDP: { ProtocolEnabled: false },
      NTP: { ProtocolEnabled: store.value.ntp_servers.length > 0, NTPServers: store.value.ntp_servers },
    }),
    patch: {
      properties: {
        "NTP/NTPServers": patchedList(ntp_servers_max, text({ characters_max: 253, form: /^[\w.:-]+$/ })),
      },
      apply: async (changes) => {
        const asked = changes.get("NTP/NTPServers");
        if (isList(asked)) await store.update((state) => ({ ntp_servers: merged(state.ntp_servers, asked) }));
      },
    },
  });
}

/** By position: a string replaces, `null` removes, `{}` keeps; what is beyond the request's end is gone. */
const merged = (current: readonly string[], asked: readonly Json[]): string[] =>
  asked.flatMap((one, i) => {
    if (typeof one === "string") return [one];
    const kept = current[i];
    return one === null || kept === undefined ? [] : [kept];
  });
