import { type Memory, wordIn } from "../hands/memory.ts";

/** What the retry needs of its machine. */
export interface RefusedDoors {
  /** The agent has left its note. */
  readonly isRefused: () => boolean;
  readonly isFree: () => Promise<boolean>;
  readonly forget: () => void;
  /** The note is there again. */
  readonly keep: () => void;
  /** Pacemaker starts it now, and not when the failures have aged. False: it can't be told so, or not yet. */
  readonly tryAgain: () => Promise<boolean>;
  /** So long, or until duet on this machine has learnt something. */
  readonly rest: (ms: number) => Promise<void>;
  readonly tell: (line: string) => void;
}

const rest_ms = 10_000;

/**
 * An address that was kept from a machine whose peer was not proven off (src/render/address-agent.ts) is tried again as soon as it is known
 * to be free. Pacemaker alone would do so minutes later: it counts the starts that failed. `goesOn` is for tests.
 */
export async function retryAddress(doors: RefusedDoors, goesOn: () => boolean = () => true): Promise<void> {
  let told = false;
  while (goesOn()) {
    if (doors.isRefused() && (await doors.isFree())) {
      if (!told) doors.tell("the API's address was kept from here, and is free by now: it is tried again");
      // Before it is tried: what is refused then is another refusal.
      doors.forget();
      told = !(await doors.tryAgain());
      if (told) doors.keep();
    }
    await doors.rest(rest_ms);
  }
}

/** As the agent sees it, which can't wait until this is loaded; a test keeps the two alike. */
export function isAddressFree(
  { ring, peerHere }: { readonly ring: string; readonly peerHere: boolean },
  memory: Memory,
): boolean {
  const { provenIn, heard } = memory.remembered;
  return peerHere || provenIn === ring || wordIn(memory, ring).peerDown || heard?.leaving === true;
}
