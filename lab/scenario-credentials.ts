import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import type { Lab } from "./folder.ts";
import { runIn, seatName } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

const rotate_ms = 5 * 60_000;

/** As an operator does it: at the seat, over ssh, with whatever machine is there. */
export function credentialWords(stage: Stage): Doing {
  return {
    "rotate-credentials": async ({ machine }) => await rotateCredentials(await stage.lab(), machine),
  };
}

async function rotateCredentials(lab: Lab, machine: MachineName): Promise<Seen> {
  const { status, stdout, stderr } = await runIn(
    lab,
    seatName,
    ["duet", "credentials", "rotate", machine, "site.yaml", "--change"],
    { input: await freshLine(lab, machine), accept: "any", deadline_ms: rotate_ms },
  );
  const last = (status === 0 ? stdout : stderr).trim().split("\n");
  return { ok: status === 0, seen: (status === 0 ? last[1] : last.at(-2)) ?? "" };
}

/** The same user with another password, as awkward as every lab's. */
export async function freshLine(lab: Lab, machine: string): Promise<string> {
  const held = await readFile(join(lab.folder, "site", `${machine}.bmc`), "utf8");
  return `${held.slice(0, held.indexOf(":"))}:n$PATH "${randomBytes(9).toString("base64url")}" 'it\`s\` \\ #2; :ö\n`;
}
