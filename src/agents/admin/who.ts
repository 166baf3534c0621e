import { readIfThere } from "../../machine/files.ts";

export interface Seat {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As the kernel has it since the login; undefined where it has none. */
  readonly login_uid: number | undefined;
  readonly uid: number;
  readonly terminal: boolean;
}

const text_max = 100;
const no_login = 0xffff_ffff;

/** Who speaks, for the record: `alice (by sudo, from 192.0.2.7, at a terminal)`. As good as what the login left behind. */
export function whoSpeaks({ env, login_uid, uid, terminal }: Seat): string {
  const by = [env["SUDO_USER"], env["LOGNAME"], env["USER"]].map(plain).find((each) => each !== "");
  const from = plain(env["SSH_CONNECTION"]).split(" ")[0] ?? "";
  const more = [
    ...(plain(env["SUDO_USER"]) === "" ? [] : ["by sudo"]),
    ...(login_uid === undefined ? [] : [`logged in as uid ${login_uid}`]),
    ...(from === "" ? [] : [`from ${from}`]),
    terminal ? "at a terminal" : "by a script",
  ];
  return `${by ?? `uid ${uid}`} (${more.join(", ")})`;
}

const plain = (text: string | undefined): string =>
  (text ?? "")
    .replaceAll(/[^ -~]/g, "?")
    .trim()
    .slice(0, text_max);

export async function ownSeat(terminal: boolean): Promise<Seat> {
  const text = await readIfThere("/proc/self/loginuid").catch(() => undefined);
  const login = text === undefined || text.trim() === "" ? no_login : Number(text);
  return {
    env: process.env,
    login_uid: Number.isSafeInteger(login) && login !== no_login ? login : undefined,
    uid: process.getuid?.() ?? 0,
    terminal,
  };
}
