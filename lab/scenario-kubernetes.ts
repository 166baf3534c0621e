import type { Kind } from "../src/scenario/phrases.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import type { Verdict } from "./api-clients/check.ts";
import { Crew } from "./api-clients/crew.ts";
import type { ApiStatus } from "./api-clients/status.ts";
import { deploy, isWhole, kubectl, removeDeployment } from "./kubernetes/deployment.ts";
import type { Eyes } from "./scenario-eyes.ts";
import { Failures } from "./scenario-failures.ts";
import type { Stage } from "./scenario-stage.ts";

const look_ms = 100;
const deploy_ms_max = 180_000;

/** The API of a scenario, with its clients and its workload. */
export class Kubernetes {
  readonly #stage: Stage;
  readonly #crews: Crew[] = [];
  readonly #bounds_ms: number[] = [];
  readonly failures = new Failures(() => this.last?.status);
  #pods = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get last(): Crew | undefined {
    return this.#crews.at(-1);
  }

  async begin(): Promise<Seen> {
    if (this.last?.isOver === false) await this.last.stop();
    const crew = await Crew.begin(await this.#stage.lab());
    this.#crews.push(crew);
    this.failures.forget();
    const { acknowledged } = crew.status;
    return { ok: acknowledged > 0, seen: acknowledged > 0 ? "" : "no write was acknowledged" };
  }

  async deploy(pods: number): Promise<boolean> {
    this.#pods = pods;
    return await deploy(await this.#stage.lab(), pods);
  }

  async isWhole(): Promise<boolean> {
    return this.#pods > 0 && (await isWhole(await this.#stage.lab(), this.#pods));
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
  async endWithin(bound_ms: number): Promise<Seen> {
    this.#bounds_ms.push(bound_ms);
    const status = await this.last?.fresh();
    const longest_ms = status?.longest_ms ?? 0;
    return {
      ok: status !== undefined && status.acknowledged > 0 && longest_ms <= bound_ms,
      seen: status === undefined ? "no client of the API has written" : `the longest took ${s(longest_ms)}`,
    };
  }

  /** A gap that is still open counts as far as it has come. */
  async noGapOver(bound_ms: number): Promise<Seen> {
    const status = await this.last?.fresh();
    if (status === undefined) return { ok: false, seen: "no client of the API has written" };
    const gap_ms = Math.max(status.gap_ms, this.last?.isOver === true ? 0 : status.now_ms - status.last_ms);
    return { ok: gap_ms <= bound_ms, seen: `the longest gap was ${s(gap_ms)}` };
  }

  /** They stop for it. */
  async historyWhole(): Promise<Seen> {
    const told: string[] = [];
    for (const crew of this.#crews) {
      const status = crew.isOver ? crew.status : await crew.stop();
      const verdict = await crew.check();
      const late = this.#bounds_ms.filter((bound_ms) => status.longest_ms > bound_ms);
      const problems = [
        ...verdict.problems,
        ...late.map((bound_ms) => `a call took longer than ${s(bound_ms)}`),
      ];
      if (problems.length > 0)
        return { ok: false, seen: `${problems.join("; ")}. The history is in ${await crew.keep()}` };
      told.push(figuresOf(verdict, status));
    }
    return { ok: told.length > 0, seen: told.join("; ") || "no client of the API has written" };
  }

  /** A lab that stays has to be as it was. */
  async close(stays: boolean): Promise<void> {
    for (const crew of this.#crews) crew.kill();
    if (!stays) return;
    for (const crew of this.#crews) await crew.clean();
    if (this.#pods > 0) await removeDeployment(await this.#stage.lab());
  }
}

const s = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const figuresOf = (verdict: Verdict, status: ApiStatus): string =>
  [
    `${verdict.acknowledged} ConfigMaps acknowledged, all there`,
    `${verdict.failed} failed, ${verdict.open} left open, ${verdict.open_happened} of them happened`,
    `${verdict.events} events, each once and in order; ${verdict.resumed} watches begun again, ${verdict.gone} of 410 Gone`,
    `longest time without a write ${s(status.gap_ms)}`,
    `longest call ${s(status.longest_ms)}`,
  ].join("; ");

/** What a scenario says of the API and its users. */
export function kubernetesWords(kubernetes: Kubernetes, eyes: Eyes) {
  const whole = (within_ms: number) =>
    eyes.until("the deployment is not whole", within_ms, () => kubernetes.isWhole());
  return {
    "api-clients-write": () => kubernetes.begin(),
    deploy: async ({ number }) => {
      const made = await eyes.until("the API took no deployment", deploy_ms_max, () =>
        kubernetes.deploy(number),
      );
      return made.ok ? await whole(deploy_ms_max) : made;
    },
    "until-api": ({ within_ms }) =>
      eyes.until("the API does not answer", within_ms, () => kubernetes.answers(), look_ms),
    "until-api-fails": ({ within_ms }) =>
      eyes.until("no call has failed", within_ms, async () => kubernetes.failures.any, look_ms),
    "until-deployment": ({ within_ms }) => whole(within_ms),
    "expect-api-whole": () => kubernetes.historyWhole(),
    "expect-api-bounded": ({ duration }) => kubernetes.endWithin(duration),
    "expect-api-gap": ({ duration }) => kubernetes.noGapOver(duration),
  } as const satisfies Doing;
}

/** Steps that need a site with Kubernetes. */
export const kubernetesKinds: ReadonlySet<Kind> = new Set<Kind>([
  "api-clients-write",
  "deploy",
  "until-api",
  "until-api-fails",
  "until-deployment",
  "expect-api-whole",
  "expect-api-bounded",
  "expect-api-gap",
]);
