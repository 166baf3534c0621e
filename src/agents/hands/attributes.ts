import {
  type AttributeEffects,
  done,
  failed,
  type Outcome,
  type Published,
  success,
} from "../../act/effects.ts";
import * as pacemaker from "../../machine/attributes.ts";
import { now_ms } from "../../machine/clock.ts";
import { failureOf } from "./outcome.ts";
import { type Cluster, membershipNow } from "./quorum.ts";
import { decodeSaying, encodeSaying } from "./saying.ts";

export interface Saying extends Cluster {
  readonly me: string;
  readonly peerName: string;
  /** Of the promotable resource. */
  readonly resource: string;
  /** Told once that the peer ran on while its Off was read, with the membership in which that was. */
  readonly falseOff?: (ring: string) => void;
  /** Replaced by tests. */
  readonly pacemaker?: Pacemaker;
}
export type Pacemaker = Pick<typeof pacemaker, "setAttribute" | "attributeOf" | "setPromotionScore">;

export const factsAttribute = "duet-facts";

/** Far below what an argument, and a message to Pacemaker's daemons, may have. */
const text_bytes_max = 8_000;

export function attributeEffects(place: Saying): AttributeEffects {
  const { me, peerName, resource } = place;
  const door = doorOf(place);
  return {
    publish: (said, deadline_ms) => attempt(() => publish(place, said, deadline_ms)),
    readPeer: (deadline_ms) => attempt(() => readIn(place, peerName, deadline_ms)),
    readOwn: (deadline_ms) => attempt(() => readIn(place, me, deadline_ms)),
    score: (score, deadline_ms) =>
      attempt(async () => {
        const end_ms = now_ms() + deadline_ms;
        const wanted = score === undefined ? undefined : String(score);
        // Asked at each look, and seldom news: to read it is eight times cheaper than to write it.
        const was = await door.attributeOf(me, pacemaker.promotionAttribute(resource), deadline_ms);
        if (was !== wanted) await door.setPromotionScore(resource, score, left_ms(end_ms));
        return done;
      }),
  };
}

const doorOf = ({ pacemaker: door = pacemaker }: Saying): Pacemaker => door;
const left_ms = (end_ms: number): number => Math.max(1, Math.round(end_ms - now_ms()));
const attempt = <T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> => ask().catch(failureOf);

/** In front stands the membership in which it is said: in the next one it says nothing. */
async function publish(place: Saying, said: Published, deadline_ms: number): Promise<Outcome> {
  const end_ms = now_ms() + deadline_ms;
  const { ring } = await membershipNow(place, deadline_ms);
  const text = `${ring} ${encodeSaying(said)}`;
  if (text.length > text_bytes_max)
    return failed(
      "refused",
      `what is to be told has ${text.length} characters, and ${text_bytes_max} are the limit`,
    );
  // Two that leave at once: one of them must see it (src/act/leave.ts).
  await doorOf(place).setAttribute(factsAttribute, text, left_ms(end_ms), said.leaving);
  return done;
}

async function readIn(
  place: Saying,
  machine: string,
  deadline_ms: number,
): Promise<Outcome<Published | undefined>> {
  const end_ms = now_ms() + deadline_ms;
  const text = await doorOf(place).attributeOf(machine, factsAttribute, deadline_ms);
  const { ring } = await membershipNow(place, left_ms(end_ms));
  return success(saidIn(text, ring));
}

/** What the text says if it was said in this membership. */
export const saidIn = (text: string | undefined, ring: string): Published | undefined =>
  text?.startsWith(`${ring} `) === true ? decodeSaying(text.slice(ring.length + 1)) : undefined;
