import { DuetError } from "../../base/problem.ts";
import { now_ms } from "../../machine/clock.ts";
import { tryConnect } from "../../machine/tcp.ts";
import type { RedfishClient } from "../../redfish/client.ts";
import { type Failure, problemOf, type Result } from "../../redfish/failure.ts";
import { openBmc } from "../../redfish/open.ts";
import { parseEndpoint } from "../../site/address.ts";
import type { Endpoint, Machine } from "../../site/site.ts";
import type { CheckContext } from "./context.ts";
import { type Finding, fromProblem, type Mark } from "./finding.ts";
import { checkTag } from "./tag.ts";

/** The BMC of a machine, step by step; the first step that fails is the last. */
export async function checkBmc(machine: Machine, context: CheckContext): Promise<readonly Finding[]> {
  const { site, folder } = context;
  const findings: Finding[] = [];
  const add = (check: string, mark: Mark, detail: string, ms?: number) => {
    findings.push({ subject: machine.name, check, mark, detail, ...(ms === undefined ? {} : { ms }) });
  };
  const stop = (check: string, failure: Failure) => {
    findings.push(fromProblem(machine.name, check, problemOf(failure, machine.bmc.url)));
    return findings;
  };
  const reach = await checkReach(machine.name, "BMC reachable", machine.bmc, site.timeouts.bmc_call_ms);
  findings.push(reach);
  if (reach.mark === "fail") return findings;

  const client = await openBmc(machine.bmc, folder, site.timeouts.bmc_call_ms).catch(
    told(machine.name, "BMC login"),
  );
  if ("subject" in client) return [...findings, client];
  const root = await timed(() => client.root());
  // A BMC that refuses the credentials has shown its certificate before.
  if (!root.result.ok && root.result.failure.kind !== "login")
    return stop("BMC certificate", root.result.failure);
  findings.push(trustFinding(machine.name, "BMC certificate", machine.bmc));
  if (!root.result.ok) return stop("BMC login", root.result.failure);

  const system = await timed(() => client.system());
  if (!system.result.ok) return stop("BMC login", system.result.failure);
  const version = root.result.value.version;
  add("BMC login", "ok", `Redfish${version && ` ${version}`}, ${system.result.value}`, root.ms);
  findings.push(...(await checkPower(machine.name, client, machine.bmc.url)));
  findings.push(await checkTag(machine, client, site.witness));
  return findings;
}

async function checkPower(subject: string, client: RedfishClient, url: string): Promise<readonly Finding[]> {
  const { result, ms } = await timed(() => client.powerState());
  if (!result.ok) return [fromProblem(subject, "power state", problemOf(result.failure, url))];
  return [{ subject, check: "power state", mark: "ok", detail: result.value, ms }];
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
        fix: "write `trust: { fingerprint: SHA256 }`: as it is, whoever sits on the management wire can read the password",
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

/** A DuetError (a missing credentials file, say) as a finding; anything else is a bug and is thrown on. */
export function told(subject: string, check: string): (error: unknown) => Finding {
  return (error) => {
    const problem = error instanceof DuetError ? error.problems[0] : undefined;
    if (problem === undefined) throw error;
    return fromProblem(subject, check, { ...problem, what: `${problem.where}: ${problem.what}` });
  };
}

export async function timed<T>(call: () => Promise<Result<T>>): Promise<{ result: Result<T>; ms: number }> {
  const start_ms = now_ms();
  const result = await call();
  return { result, ms: now_ms() - start_ms };
}
