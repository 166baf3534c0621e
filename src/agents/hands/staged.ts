import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readState } from "../../facts/state.ts";
import { exists, makeFolder, syncFolder } from "../../machine/files.ts";

/** Data that is to take the place of etcd's. It has this name only when it is whole, and on the disk. */
export const stagedAt = (data: string): string => `${data}-raised`;

const memberIn = (folder: string): string => join(folder, "member");

/** Between the two renames of a swap there is nothing in the data's own place. */
export const isBetween = async (data: string): Promise<boolean> =>
  !(await exists(memberIn(data))) && (await exists(memberIn(stagedAt(data))));

/** The folder that holds the data now: between the two renames of a swap this machine does hold data. */
export async function dataAt(paths: { readonly etcdData: string; readonly state: string }): Promise<string> {
  if (!(await isBetween(paths.etcdData))) return paths.etcdData;
  // Something that was left from another time is no data. A file that can't be read says nothing against it.
  const isOwed = await readState(paths.state).then(
    (state) => state?.bump === "owed",
    () => true,
  );
  return isOwed ? stagedAt(paths.etcdData) : paths.etcdData;
}

/** Whoever comes second finds it done. */
export async function finishSwap(data: string): Promise<void> {
  if (!(await isBetween(data))) return;
  await makeFolder(data, 0o700);
  await rename(memberIn(stagedAt(data)), memberIn(data));
  for (const folder of [data, stagedAt(data)]) await syncFolder(folder);
  await dropStaged(data);
}

/** It was made of data that is still there. First its name: half of it must not look whole. */
export async function dropStaged(data: string): Promise<void> {
  const staged = stagedAt(data);
  if (!(await exists(staged))) return;
  const going = `${staged}.tmp`;
  await rm(going, { recursive: true, force: true });
  await rename(staged, going);
  await syncFolder(dirname(staged));
  await rm(going, { recursive: true, force: true });
}
