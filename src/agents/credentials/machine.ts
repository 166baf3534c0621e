import { readFile } from "node:fs/promises";
import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import { attributeOf, setAttribute } from "../../machine/attributes.ts";
import { now_ms } from "../../machine/clock.ts";
import { forgetFailures } from "../../machine/pacemaker.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import type { Site } from "../../site/site.ts";
import { failureOf } from "../hands/outcome.ts";
import { careForCredentials, exchange } from "./care.ts";
import { type Keeper, peerOf } from "./keeper.ts";

const attribute = "duet-credentials";
const attribute_ms = 2_000;
const corosyncKey = "/etc/corosync/authkey";

/** This machine. */
export function machineKeeper(site: Site, me: string): Keeper {
  const peer = peerOf({ site, me });
  return {
    site,
    me,
    folder: siteFolder(paths.site),
    rotations: paths.rotations,
    run: paths.run,
    key: () => readFile(corosyncKey),
    heard: async () => {
      try {
        return await attributeOf(peer, attribute, attribute_ms);
      } catch (error) {
        if (error instanceof DuetError) return undefined;
        throw error;
      }
    },
    // Among the arguments of Pacemaker's tool for a moment: sealed, and for everybody but root of the two machines noise.
    tell: async (text) => {
      try {
        await setAttribute(attribute, text, attribute_ms);
        return true;
      } catch (error) {
        if (error instanceof DuetError) return false;
        throw error;
      }
    },
  };
}

/** For the one-shot, while the peer is there. What fails is tried again at its next look. */
export async function careHere(me: string, say: (line: string) => void): Promise<void> {
  try {
    const { taken, settled } = await careForCredentials(machineKeeper(await loadSite(paths.site), me));
    for (const name of taken) say(`new credentials for the BMC of ${name} came from the peer`);
    for (const name of settled) {
      say(`the BMC of ${name} takes its new credentials: the old ones are gone from here`);
      // Where the old ones were refused, Pacemaker would wait for minutes before it tries the device again.
      await forgetFailures(`fence-${name}`);
    }
  } catch (error) {
    say(`credentials are not looked after: ${failureOf(error).failure.said}`);
  }
}

const hear_again_ms = 3_000;

/** Takes what the peer offers, beside whatever else is done: nobody waits for it, and it asks no BMC. Not more often than needed. */
export function hearing(me: string, say: (line: string) => void): () => void {
  let last_ms = Number.NEGATIVE_INFINITY;
  const take = async (): Promise<void> => {
    try {
      for (const name of await exchange(machineKeeper(await loadSite(paths.site), me)))
        say(`new credentials for the BMC of ${name} came from the peer`);
    } catch (error) {
      say(`credentials are not looked after: ${failureOf(error).failure.said}`);
    }
  };
  return () => {
    if (now_ms() - last_ms < hear_again_ms) return;
    last_ms = now_ms();
    void take();
  };
}
