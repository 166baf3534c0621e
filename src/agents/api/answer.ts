import type { Said, Sign } from "../../machine/api-eye.ts";
import { failingChecks, onlyEtcdFails } from "../../machine/kube-api.ts";
import type { Answer } from "./readiness.ts";

/** What a look says of the API server. `before`: what the last one that asked has shown; a look that only asks for life changes nothing in it. */
export function answerOf(sign: Sign, asked: boolean, before: Answer): Answer {
  if (!sign.lives) return sign.why;
  if (sign.said !== undefined) return answerIn(sign.said);
  // It lives and does not say: its own checks wait for etcd, which answers them within two seconds or not at all.
  if (asked) return "etcd";
  return before === "gone" || before === "silent" ? "unready" : before;
}

function answerIn({ status, body }: Said): Answer {
  if (status === 200) return "ready";
  return onlyEtcdFails(failingChecks(body)) ? "etcd" : "unready";
}
