import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../machine/files.ts";
import {
  clientWith,
  current,
  dropWaiting,
  fromLine,
  type Keeper,
  machineNamed,
  noteRotation,
  rotationOf,
  same,
  stage,
  switchTo,
  waiting,
  waitingSince_ms,
} from "./keeper.ts";
import { unseal } from "./seal.ts";
import { about, parseWord, tellWord, type Word } from "./word.ts";

/** New ones are tried at each look while somebody may be changing them now, and then seldom: a BMC counts wrong passwords. */
const eager_ms = 3 * 60_000;
const seldom_ms = 10 * 60_000;

/**
 * What each machine does for credentials that are being changed, again and again, whoever began it: takes what the peer offers,
 * replaces the old ones as soon as the BMC has taken the new ones from here, and tells the peer what it holds. Every step can be cut
 * off.
 */
export async function careForCredentials(keeper: Keeper, now_ms = Date.now()): Promise<Cared> {
  const taken = await exchange(keeper);
  const settled: string[] = [];
  // Those that have just come the BMC may not know yet: a wrong try less.
  for (const { name } of keeper.site.machines)
    if (!taken.includes(name) && (await settle(keeper, name, now_ms))) settled.push(name);
  if (settled.length > 0) await tellWord(keeper);
  return { taken, settled };
}

/** Machines whose BMC has new credentials that came from the peer, and those whose old ones are gone from here. */
export interface Cared {
  readonly taken: readonly string[];
  readonly settled: readonly string[];
}

/** Hears what the peer offers and holds, and tells the same of here. The machines whose credentials came with it. */
export async function exchange(keeper: Keeper): Promise<readonly string[]> {
  const word = parseWord(await keeper.heard());
  const taken: string[] = [];
  for (const { name } of keeper.site.machines) {
    if (await take(keeper, name, word.offers[name])) taken.push(name);
    await noteHandedOver(keeper, name, word.have[name]?.generation);
  }
  await tellWord(keeper);
  return taken;
}

/** Kept beside the old ones, which go on working; those that are the same as here end a change that was given up. */
async function take(
  keeper: Keeper,
  name: string,
  offer: Word["offers"][string] | undefined,
): Promise<boolean> {
  if (offer === undefined) return false;
  const { generation, sealed } = offer;
  const known = await rotationOf(keeper, name);
  if (known !== undefined && known.generation >= generation) return false;
  const line = unseal(sealed, about(keeper, name, generation), await keeper.key());
  if (line === undefined) return false;
  const credentials = fromLine(line.reveal(), `what the peer offers for the BMC of ${name}`);
  if (same(credentials, await current(keeper, name))) await dropWaiting(keeper, name);
  else await stage(keeper, name, credentials);
  // Behind the file: cut off in between, it is taken once more.
  await noteRotation(keeper, name, { generation, handOver: false });
  return true;
}

async function settle(keeper: Keeper, name: string, now_ms: number): Promise<boolean> {
  const since_ms = await waitingSince_ms(keeper, name);
  const credentials = since_ms === undefined ? undefined : await waiting(keeper, name);
  if (since_ms === undefined || credentials === undefined) return false;
  if (now_ms - since_ms > eager_ms && !(await isDue(keeper, name, now_ms))) return false;
  const read = await (await clientWith(keeper, machineNamed(keeper, name), credentials)).powerState();
  const now = await waiting(keeper, name);
  // Others may have come while the BMC was asked.
  if (!read.ok || now === undefined || !same(now, credentials)) return false;
  await switchTo(keeper, name);
  return true;
}

async function isDue(keeper: Keeper, name: string, now_ms: number): Promise<boolean> {
  const path = join(keeper.run, `credentials-tried-${name}`);
  const last = statSync(path, { throwIfNoEntry: false });
  if (last !== undefined && now_ms - last.mtimeMs < seldom_ms) return false;
  await makeFolder(keeper.run, 0o700);
  writeFileSync(path, "", { mode: 0o600 });
  return true;
}

async function noteHandedOver(keeper: Keeper, name: string, theirs: number | undefined): Promise<void> {
  const rotation = await rotationOf(keeper, name);
  if (rotation?.handOver === true && theirs !== undefined && theirs >= rotation.generation)
    await noteRotation(keeper, name, { ...rotation, handOver: false });
}
