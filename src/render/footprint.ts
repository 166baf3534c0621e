import { paths } from "../base/paths.ts";
import { Secret } from "../base/secret.ts";
import type { Machine, Site } from "../site/site.ts";
import type { IgnitionUnit } from "./ignition.ts";
import { linkTraces } from "./links.ts";
import { machineFiles, machineUnits, type Materials } from "./machine.ts";

/** Folders of duet's alone, with all that setup and the agents have made in them. */
const ownFolders = [
  "/etc/duet",
  "/usr/lib/ocf/resource.d/duet",
  paths.run,
  "/run/duet-links",
  paths.alerts,
  paths.alertDrop,
  paths.alertRaised,
] as const;

export const unitFolder = "/etc/systemd/system";

/** All that rendering, setup and the agents have put on a machine, for who takes it off again. */
export interface Footprint {
  /** Removed; those below `folders` are not named again. */
  readonly files: readonly string[];
  /** Removed whole. */
  readonly folders: readonly string[];
  /** Units of duet's, to be stopped and disabled before their files go. */
  readonly units: readonly string[];
  /** Rendered, and left where they are. */
  readonly stays: readonly { readonly path: string; readonly why: string }[];
  /** Commands that take away what is in the kernel. One that finds nothing fails without harm. */
  readonly traces: readonly (readonly [string, ...string[]])[];
}

/** From the very list that is rendered: a file that is added there is taken off too. */
export function footprint(site: Site, machine: Machine): Footprint {
  const files = machineFiles(site, machine, blankMaterials(site));
  const units = machineUnits(site, machine);
  const isWithin = (path: string) => ownFolders.some((folder) => path.startsWith(`${folder}/`));
  return {
    files: [
      ...files.filter(({ stays, path }) => stays === undefined && !isWithin(path)).map(({ path }) => path),
      ...units.flatMap(unitFiles),
    ],
    folders: ownFolders,
    units: units.filter(({ contents }) => contents !== undefined).map(({ name }) => name),
    stays: files.flatMap(({ path, stays }) => (stays === undefined ? [] : [{ path, why: stays }])),
    traces: linkTraces(site, machine),
  };
}

/** As Ignition writes them: the unit or its mask, and its drop-ins. */
const unitFiles = ({ name, contents, mask, dropins = [] }: IgnitionUnit): readonly string[] => [
  ...(contents === undefined && mask !== true ? [] : [`${unitFolder}/${name}`]),
  ...dropins.map((each) => `${unitFolder}/${name}.d/${each.name}`),
];

/** Only the paths are wanted, and no path depends on what a secret is. */
function blankMaterials(site: Site): Materials {
  const blank = { username: "", password: new Secret("") };
  const withPdu = site.machines.filter(({ pdu }) => pdu !== undefined);
  return {
    credentials: new Map(site.machines.map(({ name }) => [name, blank])),
    pduCredentials: new Map(withPdu.map(({ name }) => [name, blank])),
    sshKeys: [],
    authorities: new Map(),
    alerts: { secrets: new Map(), authorities: new Map() },
    corosyncKey: new Uint8Array(),
    etcdAuthority: { certificate: "", key: new Secret("") },
  };
}
