import { rotateHere } from "../agents/credentials/here.ts";
import type { RotatedFromSeat } from "../agents/credentials/seat.ts";
import { rotateFromSeat } from "../agents/credentials/seat.ts";
import { readInput } from "../agents/fence/machine.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { parseCredentials, readCredentials } from "../machine/credentials.ts";
import { Progress } from "../machine/progress.ts";
import type { Credentials } from "../site/site.ts";
import { whoAsks } from "./consent.ts";
import { printJson } from "./output.ts";
import { placeOf } from "./place.ts";

export interface RotateOptions {
  readonly change?: boolean;
  readonly from?: string;
  readonly json?: boolean;
  readonly sshConfig?: string;
}

const input_ms = 30_000;

export async function rotateCommand(
  machine: string,
  file: string | undefined,
  options: RotateOptions,
): Promise<ExitStatus> {
  const place = await placeOf("duet credentials", file);
  const wanted = { machine, credentials: await given(options), change: options.change === true };
  const progress = new Progress();
  const rotated: RotatedFromSeat =
    place.at === "machine"
      ? await rotateHere(place.me, wanted, whoAsks(), progress)
      : await rotateFromSeat({ ...place, ssh_config: options.sshConfig }, wanted, progress);
  if (options.json === true) printJson(rotated);
  else process.stdout.write(rotatedText(rotated, place.at));
  return rotated.peer.has === "both" ? exit.failed : exit.ok;
}

async function given({ from }: RotateOptions): Promise<Credentials> {
  if (from !== undefined) return await readCredentials(from);
  if (process.stdin.isTTY)
    return fail(
      "DUET-E-CREDENTIALS-INPUT",
      "duet credentials rotate",
      "the new credentials are read from standard input or a file, and what is typed here could be seen",
      "`(umask 077; cat > new)`: one line, username:password, Enter, Ctrl-D; then `--from new`",
      exit.badInput,
    );
  return parseCredentials(await readInput(process.stdin, input_ms), "standard input");
}

const peerTexts = {
  proven: (name: string) => `${name} has proven them too, and holds no others.`,
  both: (name: string) =>
    `${name} holds them beside the old ones and has not proven them yet: see whether its way to the BMC is whole. It goes on by itself; \`duet status\` shows it.`,
  later: (name: string) =>
    `${name} is away and still holds the old ones. It gets the new ones by itself when it is back in the cluster; until then it can't use this BMC, and \`duet status\` says so.`,
} as const;

export function rotatedText(
  { machine, here, changed, peer, file }: RotatedFromSeat,
  at: "machine" | "seat",
): string {
  const own =
    file !== undefined
      ? `${file} has them too; what was rendered before holds the old ones: \`duet render\` makes it anew.`
      : at === "machine"
        ? "Where the site file is, its credentials have to be changed too."
        : "The site file names a variable for them: change it too.";
  return [
    `${here} uses the new credentials for the BMC of ${machine}${changed ? ", whose password duet has changed" : ""}.`,
    peerTexts[peer.has](peer.name),
    own,
    "",
  ].join("\n");
}
