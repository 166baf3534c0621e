import { paths } from "../base/paths.ts";
import { Secret } from "../base/secret.ts";
import type { Machine, Site } from "../site/site.ts";
import type { IgnitionUnit } from "./ignition.ts";
import { kubernetesFootprint } from "./kubernetes/files.ts";
import { hasKubernetes } from "./kubernetes/names.ts";
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
  /** Units that go only where setup has put them: a machine may have them of its own. */
  readonly ownUnits: readonly string[];
  /** Folders that go if nothing is left in them, the inner one first. */
  readonly hollow: readonly string[];
  /** Rendered, and left where they are. */
  readonly stays: readonly { readonly path: string; readonly why: string }[];
  /** Commands that take away what is in the kernel. One that finds nothing fails without harm. */
  readonly traces: readonly (readonly [string, ...string[]])[];
}

/** From the very list that is rendered: a file that is added there is taken off too. */
export function footprint(site: Site, machine: Machine): Footprint {
  const files = machineFiles(site, machine, blankMaterials(site));
  const units = machineUnits(site, machine);
  const kubernetes = kubernetesFootprint(site, machine);
  const folders = [...ownFolders, ...kubernetes.folders];
  const isWithin = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  return {
    files: [
      ...files.filter(({ stays, path }) => stays === undefined && !isWithin(path)).map(({ path }) => path),
      ...units.flatMap(unitFiles),
      ...kubernetes.files,
    ],
    folders,
    ownUnits: kubernetes.ownUnits,
    hollow: kubernetes.hollow,
    units: units.filter(({ contents }) => contents !== undefined).map(({ name }) => name),
    stays: files.flatMap(({ path, stays }) => (stays === undefined ? [] : [{ path, why: stays }])),
    traces: [...linkTraces(site, machine), ...kubernetes.traces],
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
  const pair = { certificate: "", key: new Secret("") };
  return {
    credentials: new Map(site.machines.map(({ name }) => [name, blank])),
    pduCredentials: new Map(site.machines.map(({ name, pdus }) => [name, pdus.map(() => blank)])),
    sshKeys: [],
    authorities: new Map(),
    alerts: { secrets: new Map(), authorities: new Map() },
    corosyncKey: new Uint8Array(),
    etcdAuthority: pair,
    ...(hasKubernetes(site)
      ? {
          kubernetes: {
            authority: pair,
            frontProxyAuthority: pair,
            serviceAccount: { key: pair.key, publicKey: "" },
          },
        }
      : {}),
  };
}
