import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import type { Lab } from "./folder.ts";
import { judgeLogins } from "./logins.ts";
import { runIn, seatName } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

const rotate_ms = 5 * 60_000;

/** As an operator does it: at the seat, over ssh, with whatever machine is there. */
export function credentialWords(stage: Stage): Doing {
  return {
    "rotate-credentials": async ({ machine }) => await rotateCredentials(await stage.lab(), machine),
  };
}

/** What the command says of itself is not enough: the BMC has to refuse the old password and to take the new one. */
async function rotateCredentials(lab: Lab, machine: MachineName): Promise<Seen> {
  const old = await heldLine(lab, machine);
  const fresh = await freshLine(lab, machine);
  const { status, stdout, stderr } = await runIn(
    lab,
    seatName,
    ["duet", "credentials", "rotate", machine, "site.yaml", "--change"],
    { input: fresh, accept: "any", deadline_ms: rotate_ms },
  );
  const last = (status === 0 ? stdout : stderr).trim().split("\n");
  if (status !== 0) return { ok: false, seen: last.at(-2) ?? "" };
  const program = join(import.meta.dirname, "login-main.ts");
  const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
  const tried = await runIn(lab, seatName, [...node, program, machine], { input: `${old}${fresh}` });
  const { ok, seen } = judgeLogins(v.parse(v.array(v.string()), JSON.parse(tried.stdout)));
  return { ok, seen: ok ? [last[1], seen].join("; ") : seen };
}

const heldLine = (lab: Lab, machine: string): Promise<string> =>
  readFile(join(lab.folder, "site", `${machine}.bmc`), "utf8");

/** The same user with another password, as awkward as every lab's. */
export async function freshLine(lab: Lab, machine: string): Promise<string> {
  const held = await heldLine(lab, machine);
  return `${held.slice(0, held.indexOf(":"))}:n$PATH "${randomBytes(9).toString("base64url")}" 'it\`s\` \\ #2; :ö\n`;
}
