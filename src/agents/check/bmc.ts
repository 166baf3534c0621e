import { now_ms } from "../../machine/clock.ts";
import { tryConnect } from "../../machine/tcp.ts";
import { type Failure, problemOf, type Result } from "../../redfish/failure.ts";
import { openBmc } from "../../redfish/open.ts";
import { parseEndpoint } from "../../site/address.ts";
import type { Endpoint, Machine } from "../../site/site.ts";
import type { CheckContext } from "./context.ts";
import { type Finding, fromProblem, told } from "./finding.ts";
import { checkTag, otherSitesTag, readTag } from "./tag.ts";

/** The BMC of a machine, step by step; the first step that fails is the last. `tag`: is it only read, or also written back as it is? */
export async function checkBmc(
  machine: Machine,
  context: CheckContext,
  tag: "read" | "write" = "write",
): Promise<readonly Finding[]> {
  const { site, folder } = context;
  const { name: subject, bmc } = machine;
  const deadline_ms = site.timeouts.bmc_call_ms;
  const reach = await checkReach(subject, "BMC reachable", bmc, deadline_ms);
  if (reach.mark === "fail") return [reach];
  const client = await openBmc(bmc, folder, deadline_ms).catch(told(subject, "BMC login"));
  if ("subject" in client) return [reach, client];

  const root = await timed(() => client.root());
  if (!root.result.ok) return [reach, ...failedCall(subject, "BMC", bmc, root.result.failure)];
  const { version } = root.result.value;
  const system = await client.system();
  if (!system.ok) return [reach, ...failedCall(subject, "BMC", bmc, system.failure)];
  // Redfish lets anybody read its root, and `system:` saves a call: this may be the first that needs the password.
  const power = await timed(() => client.powerState());
  if (!power.result.ok && power.result.failure.kind === "login")
    return [reach, ...failedCall(subject, "BMC", bmc, power.result.failure)];
  const detail = `Redfish${version && ` ${version}`}, ${system.value}`;
  const findings: readonly Finding[] = [
    reach,
    trustFinding(subject, "BMC certificate", bmc),
    { subject, check: "BMC login", mark: "ok", detail, ms: root.ms },
  ];
  if (!power.result.ok)
    return [...findings, fromProblem(subject, "power state", problemOf(power.result.failure, bmc.url))];
  return [
    ...findings,
    { subject, check: "power state", mark: "ok", detail: power.result.value, ms: power.ms },
    (await otherSitesTag(machine, client, site)) ??
      (await (tag === "write" ? checkTag : readTag)(machine, client, site.witness)),
  ];
}

/**
 * A call that gave nothing, under the name of the step that failed. Whoever refuses a password or answers with a status
 * has shown a certificate that is trusted; a service that hangs or speaks something else may not have come so far.
 */
export function failedCall(
  subject: string,
  service: "BMC" | "PDU" | `PDU ${number}`,
  endpoint: Endpoint,
  failure: Failure,
): readonly Finding[] {
  const steps = { untrusted: "certificate", login: "login" } as const;
  const step = failure.kind === "untrusted" || failure.kind === "login" ? steps[failure.kind] : "answer";
  const finding = fromProblem(subject, `${service} ${step}`, problemOf(failure, endpoint.url));
  return failure.kind === "login" || failure.kind === "status"
    ? [trustFinding(subject, `${service} certificate`, endpoint), finding]
    : [finding];
}

export async function checkReach(
  subject: string,
  check: string,
  endpoint: Endpoint,
  deadline_ms: number,
): Promise<Finding> {
  const address = parseEndpoint(endpoint.url);
  if (address === undefined) throw new Error(`bug: ${check} of ${subject} has no address`);
  const detail = endpoint.url.replace("https://", "");
  const connection = await tryConnect(address.host, address.port, deadline_ms);
  if (connection.ok) return { subject, check, mark: "ok", detail, ms: connection.ms };
  return fromProblem(subject, check, problemOf({ kind: "unreachable", why: connection.why }, detail));
}

export function trustFinding(subject: string, check: string, { trust }: Endpoint): Finding {
  switch (trust.by) {
    case "nothing":
      return {
        subject,
        check,
        mark: "warn",
        detail: "any certificate is taken",
        fix: "write `trust: { ca: FILE }`: as it is, whoever sits on the management wire can read the password",
      };
    case "system":
      return { subject, check, mark: "ok", detail: "trusted by the system's store" };
    case "ca":
      return { subject, check, mark: "ok", detail: `signed by ${trust.file}` };
    case "fingerprint":
    default:
      return { subject, check, mark: "ok", detail: "has the fingerprint of the site file" };
  }
}

export async function timed<T>(call: () => Promise<Result<T>>): Promise<{ result: Result<T>; ms: number }> {
  const start_ms = now_ms();
  const result = await call();
  return { result, ms: now_ms() - start_ms };
}
