import { rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { DuetError, exit, fail } from "../../base/problem.ts";
import { credentialsLine, parseCredentials, readCredentials } from "../../machine/credentials.ts";
import { isMissing, makeFolder, readIfThere, replaceSynced, syncFolder } from "../../machine/files.ts";
import { nextOf } from "../../machine/logins.ts";
import { loadTrust } from "../../machine/trust.ts";
import { RedfishClient } from "../../redfish/client.ts";
import type { Service } from "../../redfish/transport.ts";
import type { Credentials, Machine, Site } from "../../site/site.ts";

/** Where credentials are kept and changed from: one of the two machines. */
export interface Keeper {
  readonly site: Site;
  readonly me: string;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  /** Of notes on what was changed when. */
  readonly rotations: string;
  /** Of notes that end with the boot. */
  readonly run: string;
  /** What only the two machines have, to seal what one tells the other. */
  readonly key: () => Promise<Uint8Array>;
  /** What the peer tells all members of the cluster; undefined: nothing, or nobody can tell. */
  readonly heard: () => Promise<string | undefined>;
  /** False: nobody could be told, since Pacemaker does not run here. */
  readonly tell: (text: string) => Promise<boolean>;
}

export const peerOf = ({ site, me }: Pick<Keeper, "site" | "me">): string =>
  site.machines.find(({ name }) => name !== me)?.name ?? "";

export function machineNamed({ site }: Pick<Keeper, "site">, name: string): Machine {
  const found = site.machines.find((each) => each.name === name);
  if (found !== undefined) return found;
  return fail(
    "DUET-E-USAGE",
    name,
    "is no machine of this site",
    `name one of ${site.machines.map((each) => each.name).join(", ")}`,
    exit.badInput,
  );
}

/** The file of a machine's BMC credentials here. */
export function fileOf(keeper: Pick<Keeper, "site" | "folder">, name: string): string {
  const { bmc } = machineNamed(keeper, name);
  if ("file" in bmc.credentials) return resolve(keeper.folder, bmc.credentials.file);
  return fail(
    "DUET-E-CREDENTIALS-ENV",
    `bmc of ${name}`,
    "its credentials are in an environment variable, which duet can't change",
    "change the variable yourself",
    exit.notHere,
  );
}

export const current = (keeper: Keeper, name: string): Promise<Credentials> =>
  readCredentials(fileOf(keeper, name));

/** The new ones that wait for their proof; undefined: there are none. */
export async function waiting(keeper: Keeper, name: string): Promise<Credentials | undefined> {
  try {
    return await readCredentials(nextOf(fileOf(keeper, name)));
  } catch (error) {
    if (error instanceof DuetError) return undefined;
    throw error;
  }
}

export async function waitingSince_ms(
  keeper: Pick<Keeper, "site" | "folder">,
  name: string,
): Promise<number | undefined> {
  try {
    return (await stat(nextOf(fileOf(keeper, name)))).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** From now on whoever logs in to this BMC from here tries both. */
export const stage = (keeper: Keeper, name: string, credentials: Credentials): Promise<void> =>
  replaceSynced(nextOf(fileOf(keeper, name)), credentialsLine(credentials), 0o600);

/** The new ones in the place of the old ones, in one move: a crash leaves both or the new ones. */
export async function switchTo(keeper: Keeper, name: string): Promise<void> {
  const file = fileOf(keeper, name);
  try {
    await rename(nextOf(file), file);
  } catch (error) {
    // Another part of duet has done it in this moment.
    if (!isMissing(error)) throw error;
  }
  await syncFolder(dirname(file));
}

export async function dropWaiting(keeper: Keeper, name: string): Promise<void> {
  const file = fileOf(keeper, name);
  await rm(nextOf(file), { force: true });
  await syncFolder(dirname(file));
}

export const same = (a: Credentials, b: Credentials): boolean => credentialsLine(a) === credentialsLine(b);

export const fromLine = (text: string, where: string): Credentials => parseCredentials(text, where);

/** The BMC, with these credentials and no others. */
export async function serviceWith(
  { site, folder }: Pick<Keeper, "site" | "folder">,
  { bmc }: Machine,
  credentials: Credentials,
): Promise<Service> {
  const trust = await loadTrust(bmc.trust, folder);
  return { url: bmc.url, credentials, trust, deadline_ms: site.timeouts.bmc_call_ms };
}

export async function clientWith(
  keeper: Pick<Keeper, "site" | "folder">,
  machine: Machine,
  credentials: Credentials,
): Promise<RedfishClient> {
  const { system } = machine.bmc;
  return new RedfishClient({
    ...(await serviceWith(keeper, machine, credentials)),
    ...(system === undefined ? {} : { system }),
  });
}

const noteShape = v.object({
  /** Milliseconds since 1970; a later one of the two machines' counts. */
  generation: v.number(),
  /** The peer is not known to have them. */
  handOver: v.boolean(),
});
/** What was last changed of a BMC's credentials, as far as this machine knows. */
export type Rotation = v.InferOutput<typeof noteShape>;

export async function rotationOf(
  { rotations }: Pick<Keeper, "rotations">,
  name: string,
): Promise<Rotation | undefined> {
  const text = await readIfThere(join(rotations, name));
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), noteShape), text);
  return parsed.success ? parsed.output : undefined;
}

export async function noteRotation(
  { rotations }: Pick<Keeper, "rotations">,
  name: string,
  rotation: Rotation,
): Promise<void> {
  await makeFolder(rotations, 0o700);
  await replaceSynced(join(rotations, name), `${JSON.stringify(rotation)}\n`, 0o600);
}
