import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { etcdPorts, paths } from "../../base/paths.ts";
import { exit, fail } from "../../base/problem.ts";
import { readState } from "../../facts/state.ts";
import { memberList } from "../../machine/etcd/client.ts";
import { isMissing, readIfThere } from "../../machine/files.ts";
import { isMaintained } from "../../machine/modes.ts";
import { loadSite } from "../../machine/site-file.ts";
import { localUrl } from "../../render/etcd.ts";
import { loadHands } from "../etcd/machine.ts";
import { loadTls } from "../hands/local-etcd.ts";
import { attempt } from "../status/attempt.ts";
import { lastTogether } from "../status/last-off.ts";
import { known, valueOf } from "../status/report.ts";
import { mainSaying, Said } from "../status/said.ts";
import type { Desk } from "./desk.ts";
import { logEndsNow } from "./log-ends.ts";
import { ownSeat, whoSpeaks } from "./who.ts";

const read_ms = 2_000;

/** Throws where this is no machine of duet's, or its files can't be read by who asks. */
export async function requireMachine(command: string): Promise<void> {
  const notHere = (what: string): never =>
    fail(
      "DUET-E-ADMIN-NOT-HERE",
      command,
      what,
      `run it as root on a machine: \`ssh MACHINE ${command}\``,
      exit.notHere,
    );
  if ((await readIfThere(paths.machine)) === undefined) notHere("this is no machine of duet's");
  if (process.getuid?.() !== 0) notHere("it needs root");
}

/** The machine that this runs on. */
export async function machineDesk(
  asks: Pick<Desk, "show" | "agreed" | "say">,
  wait_ms: number,
  terminal: boolean,
): Promise<Desk & { readonly hasGivenUp: () => Promise<boolean> }> {
  const hands = await loadHands("command");
  const site = await loadSite(paths.site);
  const begun_ms = Date.now();
  const stateNow = () => readState(paths.state).catch(() => undefined);
  const before = await stateNow();
  return {
    ...asks,
    hands,
    wait_ms,
    who: whoSpeaks(await ownSeat(terminal)),
    dates: async () => ({
      written_ms: await lastWritten(paths.etcdData),
      together_ms: await lastTogether(paths.record),
    }),
    logEnds: () => logEndsNow(paths.etcdData, hands.saying.memory),
    saying: () => {
      const said = mainSaying(new Said().all());
      return said !== undefined && said.at_ms >= begun_ms ? said : undefined;
    },
    isMaintained: async () =>
      valueOf(await attempt("Pacemaker", async () => known(await isMaintained(read_ms)))) === true,
    serves: async () => {
      const state = await stateNow();
      if (state === undefined || state.takeover?.step === "served") return false;
      const tls = await loadTls("client");
      return (await memberList({ url: localUrl(site, etcdPorts.client), tls }, read_ms)).ok;
    },
    hasGivenUp: async () => {
      const state = await stateNow();
      if (state === undefined) return false;
      return state.surrendered !== undefined || state.lineage?.epoch !== before?.lineage?.epoch;
    },
  };
}

/** By etcd's files: the log is written with each entry. Undefined: there are none. */
async function lastWritten(data: string): Promise<number | undefined> {
  try {
    const folder = join(data, "member", "wal");
    const times = await Promise.all(
      (await readdir(folder))
        .filter((name) => name.endsWith(".wal"))
        .map(async (name) => (await stat(join(folder, name))).mtimeMs),
    );
    return times.length === 0 ? undefined : Math.max(...times);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
