import { Text } from "../core/answer.ts";
import { type DocumentEndpoint, link } from "../core/endpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { supportedQueries } from "../core/query.ts";
import { at, type Route } from "../core/router.ts";
import { metadata } from "../core/schema.ts";

export interface Branch {
  /** The service root's property: `Systems`. */
  readonly name: string;
  readonly path: string;
}

export interface RootOptions {
  readonly product: string;
  readonly uuid: string;
  readonly branches: readonly Branch[];
}

const root = "/redfish/v1/";

const document = (type: DocumentEndpoint["type"], body: JsonObject | Text): DocumentEndpoint => ({
  kind: "document",
  type,
  open: true,
  get: () => ({ status: 200, body }),
});

/** The service root and the documents beside it: all that can be read without a login. */
export function rootRoutes(options: RootOptions): readonly Route[] {
  const links = Object.fromEntries(options.branches.map(({ name, path }) => [name, link(path)]));
  const sessions = link("/redfish/v1/SessionService/Sessions");
  const odata = {
    "@odata.context": "/redfish/v1/$metadata",
    value: [
      { name: "Service", kind: "Singleton", url: root },
      ...options.branches.map(({ name, path }) => ({ name, kind: "Singleton", url: path })),
      { name: "Sessions", kind: "Singleton", url: "/redfish/v1/SessionService/Sessions" },
    ],
  };
  return [
    at("/redfish", document("application/json", { v1: root })),
    at("/redfish/v1/odata", document("application/json", odata)),
    at(
      "/redfish/v1/$metadata",
      document("application/xml", new Text("application/xml; charset=utf-8", metadata())),
    ),
    at("/redfish/v1", {
      kind: "resource",
      id: root,
      schema: "ServiceRoot",
      open: true,
      read: () => ({
        Id: "RootService",
        Name: "Root Service",
        Product: options.product,
        Vendor: "duet lab",
        RedfishVersion: "1.17.0",
        UUID: options.uuid,
        ProtocolFeaturesSupported: supportedQueries,
        ...links,
        Links: { Sessions: sessions },
      }),
    }),
  ];
}
