import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { exit, fail } from "../src/base/problem.ts";
import { run } from "../src/machine/process.ts";
import type { Progress } from "../src/machine/progress.ts";
import { type HostPackage, hostPackages } from "./packages.ts";

/** What decides whether machines can run here. */
export interface HostFacts {
  readonly platform: string;
  readonly arch: string;
  readonly root: boolean;
  /** The text of /etc/os-release. */
  readonly os: string;
  readonly apt: boolean;
}

export type CanHost = { readonly ok: true } | { readonly ok: false; readonly why: string };

const no = (why: string): CanHost => ({ ok: false, why });

export function canHost(facts: HostFacts = hostFacts()): CanHost {
  if (facts.platform !== "linux") return no(`the lab's machines need Linux, this is ${facts.platform}`);
  if (facts.arch !== "x64" && facts.arch !== "arm64")
    return no(`the lab's machines need x86_64 or arm64, this is ${facts.arch}`);
  if (!/^ID(_LIKE)?="?([a-z ]* )?debian\b/m.test(facts.os) || !facts.apt)
    return no("the lab's machines need Debian or a derivative with apt, this is another system");
  if (!facts.root) return no("the lab's machines need root (namespaces, mounts), and this user is not root");
  return { ok: true };
}

export function hostFacts(): HostFacts {
  return {
    platform: process.platform,
    arch: process.arch,
    root: process.getuid?.() === 0,
    os: existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "",
    apt: existsSync("/usr/bin/apt-get"),
  };
}

/** The packages that are not there. root's path may lack the sbin folders, so they are looked at too. */
export function missingPackages(
  packages: readonly HostPackage[],
  path: string = process.env["PATH"] ?? "",
): readonly HostPackage[] {
  const folders = new Set([...path.split(delimiter), "/usr/sbin", "/usr/bin", "/sbin", "/bin"]);
  return packages.filter(({ shows }) =>
    isAbsolute(shows) ? !existsSync(shows) : ![...folders].some((folder) => existsSync(join(folder, shows))),
  );
}

export interface EnsureHostOptions {
  /** Also what only the tests need. */
  readonly tests?: boolean;
  /** Also what only the building of Kubernetes needs. */
  readonly kubernetes?: boolean;
  readonly packages?: readonly HostPackage[];
  readonly facts?: HostFacts;
}

/** Where machines can't run, every lab command says so before it does anything. */
export function requireHost(facts?: HostFacts): void {
  const can = canHost(facts);
  if (!can.ok)
    fail("DUET-E-HOST-UNFIT", "this host", can.why, "use a Debian box (or VM) as root", exit.notHere);
}

/** Installs the Debian packages that are missing; says nothing and takes no time where there are none. */
export async function ensureHost(progress: Progress, options: EnsureHostOptions = {}): Promise<void> {
  requireHost(options.facts);
  const wanted = (options.packages ?? hostPackages).filter(
    (p) => p.for === "lab" || (p.for === "tests" ? options.tests === true : options.kubernetes === true),
  );
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const names = missing.map((p) => p.name);
  await progress.step("Debian package lists", async () => {
    await apt(["update"]);
  });
  await progress.step(`Debian packages: ${names.join(", ")}`, async () => {
    await apt(["install", "-y", "--no-install-recommends", ...names]);
  });
  const still = missingPackages(missing);
  if (still.length > 0)
    fail(
      "DUET-E-HOST-PACKAGES",
      "this host",
      `${still.map((p) => `${p.shows} (package ${p.name})`).join(", ")} is still missing after apt-get install`,
      `try: apt-get install ${still.map((p) => p.name).join(" ")}`,
    );
}

async function apt(args: readonly string[]): Promise<void> {
  // Another apt may run (unattended upgrades): wait for its lock instead of failing at once.
  await run(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0", ...args], {
    deadline_ms: 900_000,
    env: { DEBIAN_FRONTEND: "noninteractive" },
  });
}
