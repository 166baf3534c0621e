import type { Problem } from "../base/problem.ts";
import { canonicalAddress, family, parseEndpoint, urlOf } from "./address.ts";
import {
  bmcCallDefault_ms,
  facility_default,
  preferredDefault,
  fence_agent_default,
  stop_failure_default,
  test_default,
  timeouts_default,
  trust_default,
  witness_default,
} from "./defaults.ts";
import { draftOf } from "./draft.ts";
import { parseDuration } from "./duration.ts";
import { parseFingerprint } from "./fingerprint.ts";
import { imagesDefault, networksDefault, version_default } from "./kubernetes.ts";
import { networkText, parseNetwork } from "./network.ts";
import { rules } from "./rules.ts";
import type { WrittenMachine, WrittenOutlet, WrittenSite } from "./schema.ts";
import { checkShape } from "./shape.ts";
import type { Alert, Bmc, CredentialsRef, Kubernetes, Machine, Pdu, Site, Trust } from "./site.ts";
import { readSource, type Source } from "./source.ts";

export type SiteReading =
  | { readonly site: Site; readonly problems: readonly [] }
  | { readonly site: undefined; readonly problems: readonly Problem[] };

const problems_max = 50;

/** The site that a file describes, or everything that is wrong with the file. Never throws, never repeats a secret. */
export function readSite(text: string, fileName: string): SiteReading {
  const { source, problems } = readSource(text, fileName);
  if (source === undefined) return refuse(problems);
  const shape = checkShape(source);
  // What is no plain value (an alias, say) is told once, not again for its form.
  const forms = shape.problems.filter(({ where }) => !problems.some((problem) => problem.where === where));
  const all = [...problems, ...forms, ...brokenRules(source)];
  if (shape.written === undefined || all.length > 0) return refuse(all);
  return { site: siteOf(shape.written), problems: [] };
}

function brokenRules(source: Source): readonly Problem[] {
  const draft = draftOf(source);
  return rules.flatMap(({ code, check }) =>
    check(draft).map(({ at, part, what, fix }) => ({ code, where: source.where(at, part), what, fix })),
  );
}

/** Line and column, from the end: the file's name may have colons too. */
const placeOf = ({ where }: Problem): readonly number[] => where.split(":").slice(-2).map(Number);

function refuse(problems: readonly Problem[]): SiteReading {
  const inOrder = problems.toSorted((a, b) => {
    const [lineA = 0, columnA = 0] = placeOf(a);
    const [lineB = 0, columnB = 0] = placeOf(b);
    return lineA - lineB || columnA - columnB;
  });
  return { site: undefined, problems: inOrder.slice(0, problems_max) };
}

function siteOf(written: WrittenSite): Site {
  const machines = written.machines.map(machineOf);
  const timeouts = written.timeouts ?? {};
  const fence_ms = duration(timeouts.fence) ?? timeouts_default.fence_ms;
  return {
    name: written.name,
    topology: written.topology,
    machines,
    ssh_keys: typeof written.ssh_key === "string" ? [written.ssh_key] : written.ssh_key,
    ...(written.api === undefined ? {} : { api: { address: known(canonicalAddress(written.api.address)) } }),
    ...(written.kubernetes === undefined ? {} : { kubernetes: kubernetesOf(written.kubernetes, machines) }),
    fencing: {
      agent: written.fencing?.agent ?? fence_agent_default,
      preferred: written.fencing?.preferred ?? preferredDefault(machines),
      stop_failure: written.fencing?.stop_failure ?? stop_failure_default,
      test: written.fencing?.test ?? test_default,
    },
    witness: written.witness ?? witness_default,
    timeouts: {
      token_ms: duration(timeouts.token) ?? timeouts_default.token_ms,
      bmc_call_ms: duration(timeouts.bmc_call) ?? bmcCallDefault_ms(fence_ms),
      fence_ms,
    },
    alerts: (written.alerts ?? []).map(alertOf),
  };
}

function alertOf({ webhook, mail, syslog }: NonNullable<WrittenSite["alerts"]>[number]): Alert {
  if (webhook !== undefined) {
    const { url, url_file, headers, trust } = webhook;
    return {
      by: "webhook",
      url: url ?? { file: known(url_file) },
      ...(headers === undefined ? {} : { headers }),
      trust: trustOf(trust),
    };
  }
  if (mail !== undefined)
    return {
      by: "mail",
      to: typeof mail.to === "string" ? [mail.to] : mail.to,
      ...(mail.from === undefined ? {} : { from: mail.from }),
    };
  return { by: "syslog", facility: syslog?.facility ?? facility_default };
}

function kubernetesOf(
  written: NonNullable<WrittenSite["kubernetes"]>,
  machines: readonly Machine[],
): Kubernetes {
  const version = written.version ?? version_default;
  const defaults = networksDefault(family(machines[0]?.addresses[0] ?? ""));
  const network = (text: string) => networkText(known(parseNetwork(text)));
  const images = imagesDefault(version);
  const given = written.images ?? {};
  return {
    version,
    pods: network(written.pods ?? defaults.pods),
    services: network(written.services ?? defaults.services),
    names: (written.names ?? []).map((each) => canonicalAddress(each) ?? each),
    images: {
      apiserver: given.apiserver ?? images.apiserver,
      controller_manager: given.controller_manager ?? images.controller_manager,
      scheduler: given.scheduler ?? images.scheduler,
      proxy: given.proxy ?? images.proxy,
      dns: given.dns ?? images.dns,
      pause: given.pause ?? images.pause,
    },
  };
}

function machineOf(written: WrittenMachine): Machine {
  return {
    name: written.name,
    addresses: written.addresses.map((address) => known(canonicalAddress(address))),
    bmc: bmcOf(written.bmc),
    pdus: [written.pdu ?? []].flat().map(pduOf),
  };
}

function bmcOf(written: WrittenMachine["bmc"]): Bmc {
  return {
    url: urlOf(known(parseEndpoint(written.address))),
    credentials: credentialsOf(written.credentials),
    trust: trustOf(written.trust),
    ...(written.system === undefined ? {} : { system: written.system }),
  };
}

function pduOf(written: WrittenOutlet): Pdu {
  return {
    url: urlOf(known(parseEndpoint(written.address))),
    credentials: credentialsOf(written.credentials),
    trust: trustOf(written.trust),
    outlet: written.outlet,
  };
}

function credentialsOf({ file, env }: WrittenMachine["bmc"]["credentials"]): CredentialsRef {
  return file === undefined ? { env: known(env) } : { file };
}

function trustOf(written: WrittenMachine["bmc"]["trust"]): Trust {
  if (written?.ca !== undefined) return { by: "ca", file: written.ca };
  if (written?.fingerprint !== undefined)
    return { by: "fingerprint", sha256: known(parseFingerprint(written.fingerprint)) };
  return written?.nothing === true ? { by: "nothing" } : trust_default;
}

function duration(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** The schema has refused everything for which this would be undefined. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("bug: a checked value of the site file can't be read");
  return value;
}
