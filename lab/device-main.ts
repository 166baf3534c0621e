import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadCredentials } from "../src/machine/credentials.ts";
import { keepThreadsAwake } from "../src/machine/pulse.ts";
import { hostOf, portOf } from "./addresses.ts";
import { startBmc } from "./bmc/bmc.ts";
import type { Feed } from "./bmc/metal.ts";
import { startPdu } from "./bmc/pdu.ts";
import { bmcFolder, pduFolder, sayReady } from "./devices.ts";
import { feedIsOn, feedOff, feedOn } from "./feed.ts";
import { allMachines, bmcTimesOf, machineOf, openLab } from "./folder.ts";
import { metalOf } from "./metal/power.ts";
import { outletsOf } from "./outlets.ts";

/** The program of a BMC or PDU process: `bmc LAB MACHINE [feed-returned]` or `pdu LAB`. */
async function main([kind, labName = "", machineName = "", flag]: readonly string[]): Promise<void> {
  const lab = await openLab(labName, true);
  const siteFolder = join(lab.folder, "site");
  const tlsIn = async (folder: string) => ({
    key: await readFile(join(folder, "tls.key"), "utf8"),
    cert: await readFile(join(folder, "tls.crt"), "utf8"),
  });
  if (kind === "bmc") {
    const m = machineOf(lab, machineName);
    const folder = bmcFolder(m);
    await startBmc(
      {
        name: m.machine.name,
        host: hostOf(m.machine.bmc.url),
        port: portOf(m.machine.bmc.url),
        tls: await tlsIn(folder),
        folder,
        credentials: await loadCredentials(m.machine.bmc.credentials, siteFolder),
        times: bmcTimesOf(lab.record, m.machine.name),
        feedReturned: flag === "feed-returned",
      },
      metalOf(lab, m.machine.name),
    );
    await sayReady(folder);
    return;
  }
  const feeds = new Map<string, Feed>(
    allMachines(lab).flatMap((m) => [
      ...outletsOf(m.machine, {
        isOn: () => feedIsOn(m),
        off: () => feedOff(lab, m),
        on: () => feedOn(lab, m),
      }),
    ]),
  );
  const [pdu] = lab.site.machines.flatMap((m) => m.pdus);
  if (pdu === undefined) throw new Error("this site has no PDU");
  const folder = pduFolder(lab);
  await startPdu(
    {
      name: "rack PDU",
      host: hostOf(pdu.url),
      port: portOf(pdu.url),
      tls: await tlsIn(folder),
      folder,
      credentials: await loadCredentials(pdu.credentials, siteFolder),
      times: { off_ms: 0, on_ms: 0 },
    },
    feeds,
  );
  await sayReady(folder);
}

keepThreadsAwake();
await main(process.argv.slice(2));
