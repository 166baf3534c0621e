import type { Lab } from "../../../lab/folder.ts";
import { runIn } from "../../../lab/run.ts";

const line = /^(\d+\.\d+) .*Result of start operation for duet-api on \S+: OK/;

/** When Pacemaker had the API's address up on this machine, first after that moment; undefined: it did not have to move. */
export async function addressUp_ms(lab: Lab, machine: string, since_ms: number): Promise<number | undefined> {
  const since = `--since=@${Math.floor(since_ms / 1000)}`;
  const argv = ["journalctl", "--no-pager", "--output=short-unix", "--unit=pacemaker", since];
  const { stdout } = await runIn(lab, machine, argv, { accept: "any", output_bytes_max: 64 << 20 });
  return firstUp_ms(stdout, since_ms);
}

export function firstUp_ms(journal: string, since_ms: number): number | undefined {
  return journal
    .split("\n")
    .flatMap((each) => {
      const found = line.exec(each)?.[1];
      return found === undefined ? [] : [Number(found) * 1000];
    })
    .find((at_ms) => at_ms >= since_ms);
}
