import { noContent, refuse } from "../core/answer.ts";
import { boolean, nullable, text } from "../core/check.ts";
import { listed } from "../core/endpoint.ts";
import { at, type Route } from "../core/router.ts";
import type { BmcState } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import { managerPath } from "./manager.ts";

export const mediaPath = `${managerPath}/VirtualMedia`;
const drive = `${mediaPath}/Cd`;
const insert = `${drive}/Actions/VirtualMedia.InsertMedia`;
const eject = `${drive}/Actions/VirtualMedia.EjectMedia`;

/** The drive for an image that a client names. The lab's machines boot from their disk; what is inserted is only kept. */
export function mediaRoutes(store: Store<BmcState>): readonly Route[] {
  return [
    at(mediaPath, {
      kind: "resource",
      id: mediaPath,
      schema: "VirtualMediaCollection",
      read: () => listed("Virtual Media", [drive]),
    }),
    at(drive, {
      kind: "resource",
      id: drive,
      schema: "VirtualMedia",
      read: () => {
        const { media } = store.value;
        return {
          Id: "Cd",
          Name: "Virtual CD",
          MediaTypes: ["CD", "DVD"],
          ConnectedVia: media?.inserted === true ? "URI" : "NotConnected",
          Image: media?.image ?? null,
          ImageName: media === undefined ? null : (media.image.split("/").at(-1) ?? null),
          Inserted: media?.inserted ?? false,
          WriteProtected: media?.write_protected ?? true,
          Actions: {
            "#VirtualMedia.InsertMedia": { target: insert },
            "#VirtualMedia.EjectMedia": { target: eject },
          },
        };
      },
    }),
    at(insert, {
      kind: "action",
      name: "VirtualMedia.InsertMedia",
      write: "ConfigureManager",
      parameters: {
        Image: { required: true, check: text({ characters_max: 1024, form: /^(https?|nfs|cifs):\/\/\S+$/ }) },
        Inserted: { required: false, check: nullable(boolean) },
        WriteProtected: { required: false, check: nullable(boolean) },
      },
      run: async (values) => {
        if (store.value.media?.inserted === true) refuse(409, "ResourceInUse");
        const image = values.get("Image");
        if (typeof image !== "string")
          refuse(400, "ActionParameterMissing", "VirtualMedia.InsertMedia", "Image");
        await store.update(() => ({
          media: {
            image,
            inserted: values.get("Inserted") !== false,
            write_protected: values.get("WriteProtected") !== false,
          },
        }));
        return noContent;
      },
    }),
    at(eject, {
      kind: "action",
      name: "VirtualMedia.EjectMedia",
      write: "ConfigureManager",
      parameters: {},
      run: async () => {
        await store.update(() => ({ media: undefined }));
        return noContent;
      },
    }),
  ];
}
