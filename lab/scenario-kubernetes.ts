import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import type { Verdict } from "./api-clients/check.ts";
import { type Bounds, judgeProbes, type ProbeVerdict } from "./api-clients/check-probes.ts";
import { Crew } from "./api-clients/crew.ts";
import type { Probed } from "./api-clients/probed.ts";
import type { ApiStatus } from "./api-clients/status.ts";
import { kubectl } from "./kubernetes/deployment.ts";
import type { Eyes } from "./scenario-eyes.ts";
import { Failures } from "./scenario-failures.ts";
import type { Stage } from "./scenario-stage.ts";

const look_ms = 100;

/** Had this machine power, and did it not hang, in all of this time? */
export type Lived = (machine: string, from_ms: number, to_ms: number) => boolean;

/** The API of a scenario, with its clients. */
export class Kubernetes {
  readonly #stage: Stage;
  readonly #lived: Lived;
  readonly #crews: Crew[] = [];
  #bounds: Bounds = {};
  readonly failures = new Failures(() => this.last?.status);

  constructor(stage: Stage, lived: Lived) {
    this.#stage = stage;
    this.#lived = lived;
  }

  get last(): Crew | undefined {
    return this.#crews.at(-1);
  }

  async begin(): Promise<Seen> {
    if (this.last?.isOver === false) await this.last.stop();
    const crew = await Crew.begin(await this.#stage.lab(), { probes: true });
    this.#crews.push(crew);
    this.failures.forget();
    const { acknowledged } = crew.status;
    return { ok: acknowledged > 0, seen: acknowledged > 0 ? "" : "no write was acknowledged" };
  }

  async answers(): Promise<boolean> {
    const stamp = `duet-lab/asked=${Date.now()}`;
    const words = ["annotate", "namespace", "default", "--overwrite", stamp];
    return (await kubectl(await this.#stage.lab(), ...words)).status === 0;
  }

  /** Who holds the lease of the controller managers. */
  async controllersLeader(): Promise<MachineName | undefined> {
    const words = ["get", "lease", "kube-controller-manager", "--namespace=kube-system"];
    const { stdout } = await kubectl(
      await this.#stage.lab(),
      ...words,
      "--output=jsonpath={.spec.holderIdentity}",
    );
    return machine_names.find((name) => stdout.startsWith(`${name}_`));
  }

  /** Now, and once more when the history is looked at: some calls are still under way. */
  async endWithin(what: Probed, bound_ms: number): Promise<Seen> {
    this.#bounds = { ...this.#bounds, [what]: bound_ms };
    if (this.last === undefined) return { ok: false, seen: "no client of the API has written" };
    const { problems, longest_ms } = await this.#probes(this.last, { [what]: bound_ms });
    return {
      ok: problems.length === 0,
      seen: problems[0] ?? `the longest took ${s(longest_ms[what])}`,
    };
  }

  async #probes(crew: Crew, bounds: Bounds): Promise<ProbeVerdict> {
    return judgeProbes(await crew.entries(), bounds, this.#lived, Date.now());
  }

  /** A gap that is still open counts as far as it has come. */
  async noGapOver(bound_ms: number): Promise<Seen> {
    const status = await this.last?.fresh();
    if (status === undefined) return { ok: false, seen: "no client of the API has written" };
    const gap_ms = Math.max(status.gap_ms, this.last?.isOver === true ? 0 : status.now_ms - status.last_ms);
    return { ok: gap_ms <= bound_ms, seen: `the longest gap was ${s(gap_ms)}` };
  }

  /** They stop for it. */
  async historyWhole(goneAllowed: boolean): Promise<Seen> {
    const told: string[] = [];
    for (const crew of this.#crews) {
      const status = crew.isOver ? crew.status : await crew.stop();
      const verdict = await crew.check(goneAllowed);
      const probes = await this.#probes(crew, this.#bounds);
      const problems = [...verdict.problems, ...probes.problems];
      if (problems.length > 0)
        return { ok: false, seen: `${problems.join("; ")}. The history is in ${await crew.keep()}` };
      told.push(figuresOf(verdict, status, probes));
    }
    return { ok: told.length > 0, seen: told.join("; ") || "no client of the API has written" };
  }

  /** A lab that stays has to be as it was. */
  async close(stays: boolean): Promise<void> {
    for (const crew of this.#crews) crew.kill();
    if (stays) for (const crew of this.#crews) await crew.clean();
  }
}

const s = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const figuresOf = (verdict: Verdict, status: ApiStatus, { longest_ms }: ProbeVerdict): string =>
  [
    `${verdict.acknowledged} ConfigMaps acknowledged, all there`,
    `${verdict.failed} failed, ${verdict.open} left open, ${verdict.open_happened} of them happened`,
    `${verdict.events} events, each once and in order; ${verdict.resumed} watches begun again, ${verdict.gone} of 410 Gone`,
    `longest time without a write ${s(status.gap_ms)}`,
    `longest call ${s(status.longest_ms)}`,
    `longest answer of a machine that lived ${s(longest_ms.write)} for a write, ${s(longest_ms.read)} for a read`,
  ].join("; ");

/** What a scenario says of the API and its users. */
export function kubernetesWords(kubernetes: Kubernetes, eyes: Eyes) {
  return {
    "api-clients-write": () => kubernetes.begin(),
    "until-api": ({ within_ms }) =>
      eyes.until("the API does not answer", within_ms, () => kubernetes.answers(), look_ms),
    "until-api-fails": ({ within_ms }) =>
      eyes.until("no call has failed", within_ms, async () => kubernetes.failures.any, look_ms),
    "expect-api-whole": () => kubernetes.historyWhole(false),
    "expect-api-whole-gone": () => kubernetes.historyWhole(true),
    "expect-api-writes-bounded": ({ duration }) => kubernetes.endWithin("write", duration),
    "expect-api-reads-bounded": ({ duration }) => kubernetes.endWithin("read", duration),
    "expect-api-gap": ({ duration }) => kubernetes.noGapOver(duration),
  } as const satisfies Doing;
}
