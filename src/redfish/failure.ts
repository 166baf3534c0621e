import type { Problem } from "../base/problem.ts";
import { saveCertificate } from "../site/certificate.ts";

/** Why a Redfish call gave no answer that can be used: a value, because agents decide by it. */
export type Failure =
  /** `sent`: the call had gone out, and may have been done. */
  | { readonly kind: "unreachable"; readonly why: string; readonly sent?: true }
  | { readonly kind: "deadline"; readonly deadline_ms: number; readonly sent?: true }
  /** `sha256` is what the service showed, where that could be had; `name`: it is for another host. */
  | { readonly kind: "untrusted"; readonly why: string; readonly sha256?: string; readonly name?: true }
  /** `again_s`: it was refused a moment ago, and is not asked again before that. */
  | { readonly kind: "login"; readonly status: number; readonly again_s?: number }
  /** It answers, but not as Redfish does. */
  | { readonly kind: "not-redfish"; readonly why: string }
  | { readonly kind: "status"; readonly status: number; readonly said: string }
  /** If-Match did not hold: somebody else wrote in between. */
  | { readonly kind: "changed" }
  | { readonly kind: "several-systems"; readonly systems: readonly string[] }
  | { readonly kind: "unsupported"; readonly what: string };

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export const success = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure,
});

/** Of a call before the one that matters: that one was not sent. */
export const unsent = ({ failure }: { readonly failure: Failure }): ReturnType<typeof failed> => {
  if (failure.kind !== "unreachable" && failure.kind !== "deadline") return failed(failure);
  const { sent: _, ...rest } = failure;
  return failed(rest);
};

/** Whether what was asked may have been done all the same: the call went out, and no answer came. */
export const mayBeDone = (failure: Failure): boolean =>
  (failure.kind === "unreachable" || failure.kind === "deadline") && failure.sent === true;

/** Nothing was done, and nothing of it comes later: it was not sent, or refused. An error of the service's own says neither. */
export const isRefusal = (failure: Failure): boolean =>
  failure.kind === "status" ? failure.status < 500 : failure.kind !== "not-redfish" && !mayBeDone(failure);

/**
 * The service weighed what was asked against the power that the machine has, as some BMCs do that are told to switch off what is off.
 * With an Off that is read after it, it is the BMC's own word that the machine is off (docs/fencing.md). 409 is also what a busy one says,
 * and 400 what is said of a command that was not understood: both count only with words about the power, and none about work under way.
 */
export const isWeighed = (failure: Failure): boolean =>
  failure.kind === "status" &&
  (failure.status === 409 || failure.status === 400) &&
  aboutPower.test(failure.said) &&
  !weighedNothing.test(failure.said);

const aboutPower =
  /InvalidOperationForSystemState|InStandby|in standby|current(ly)? (power ?state|off)|already\b.{0,60}\b(off|state)\b|\boff\b.{0,60}\balready|\b(is|not) powered (on|off)/i;
/** It is busy, did not understand, or does not know itself. */
const weighedNothing =
  /progress|busy|transition|\bjobs?\b|in use|InUse|unknown|determin|unavailable|not (in the list|allowed|supported)|update|firmware/i;

function impossible(failure: never): never {
  throw new Error(`bug: a failure of no kind: ${JSON.stringify(failure)}`);
}

/** By a certificate in a file, or by its fingerprint, which also does for one that names another host. */
function trustFix({ sha256, name }: Failure & { readonly kind: "untrusted" }, where: string): string {
  if (name === true)
    return `give it a certificate that names this address (its own pages make one), or write the name that it has into \`address:\`${sha256 === undefined ? "" : `; if its own pages show the fingerprint ${sha256} too, \`trust: { fingerprint: "${sha256}" }\` takes it as it is`}`;
  const seen = sha256 === undefined ? "" : `if its own pages show the fingerprint ${sha256} too and `;
  return (
    `${seen}it is self-signed: \`${saveCertificate(where, "bmc.crt")}\`, and \`trust: { ca: bmc.crt }\` in the site file, or that fingerprint as \`trust: { fingerprint: … }\`; ` +
    "if an authority signed it, that one's certificate instead"
  );
}

const waitText = (again_s: number | undefined): string =>
  again_s === undefined
    ? ""
    : `; so that it does not lock the user out, it is not asked again for ${again_s} s (\`duet check\` asks at once)`;

/** The same for a person. `where` names the machine and which of its services. */
export function problemOf(failure: Failure, where: string): Problem {
  switch (failure.kind) {
    case "unreachable":
      return {
        code: "DUET-E-REDFISH-UNREACHABLE",
        where,
        what: `no connection: ${failure.why}`,
        fix: "check the address in the site file, the management wire, and that the service has power",
      };
    case "deadline":
      return {
        code: "DUET-E-REDFISH-DEADLINE",
        where,
        what: `no complete answer within ${failure.deadline_ms} ms`,
        fix: "if it is only slow, raise `timeouts.bmc_call`; if it hangs, reset it (many BMCs have a reset of their own)",
      };
    case "untrusted":
      return {
        code: "DUET-E-REDFISH-UNTRUSTED",
        where,
        what: `its certificate is not trusted: ${failure.why}; nothing was sent to it`,
        fix: trustFix(failure, where),
      };
    case "login":
      return {
        code: "DUET-E-REDFISH-LOGIN",
        where,
        what: `it refuses the credentials (status ${failure.status})${waitText(failure.again_s)}`,
        fix: "check user name and password in the file or variable that `credentials:` names, and the user's rights",
      };
    case "not-redfish":
      return {
        code: "DUET-E-REDFISH-ANSWER",
        where,
        what: `it does not answer as a Redfish service does: ${failure.why}`,
        fix: "check address and port, and that Redfish is switched on in its settings",
      };
    case "status":
      return {
        code: "DUET-E-REDFISH-STATUS",
        where,
        what: `it answered with status ${failure.status}${failure.said && `: ${failure.said}`}`,
        fix: "see its own log; a 5xx often passes, or ends with a reset of the BMC",
      };
    case "changed":
      return {
        code: "DUET-E-REDFISH-CHANGED",
        where,
        what: "the resource was changed by somebody else between read and write; nothing was written",
        fix: "try again",
      };
    case "several-systems":
      return {
        code: "DUET-E-REDFISH-SYSTEMS",
        where,
        what:
          failure.systems.length === 0
            ? "it has no System"
            : `it has ${failure.systems.length} Systems, and the site file does not say which is this machine`,
        fix:
          failure.systems.length === 0
            ? "is this the address of a BMC?"
            : `add one of these under \`bmc:\` as \`system:\`: ${failure.systems.slice(0, 8).join(", ")}`,
      };
    case "unsupported":
      return {
        code: "DUET-E-REDFISH-UNSUPPORTED",
        where,
        what: failure.what,
        fix: "update its firmware, or use a service that can do it",
      };
    default:
      return impossible(failure);
  }
}
