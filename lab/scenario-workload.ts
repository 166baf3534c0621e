import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import {
  areReplaced,
  deploy,
  name as deployment,
  type Pod,
  removeDeployment,
  wholePods,
} from "./kubernetes/deployment.ts";
import { findsNames } from "./kubernetes/names.ts";
import { removeStateful, setStateful, statefulPod } from "./kubernetes/stateful.ts";
import { apiService, endpointsOn } from "./kubernetes/endpoints.ts";
import { outOfServiceNow } from "./kubernetes/taints.ts";
import type { Eyes } from "./scenario-eyes.ts";
import type { Stage } from "./scenario-stage.ts";

const look_ms = 100;
const deploy_ms_max = 180_000;

/** A user's Deployment with its Service, and what Kubernetes is told of a machine that is off. */
export class Workload {
  readonly #stage: Stage;
  #wanted = 0;
  /** When it was last seen whole. */
  #pods: readonly Pod[] = [];
  /** The StatefulSet's pod when it was last seen where it was waited for. */
  #stateful: string | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async deploy(pods: number): Promise<boolean> {
    this.#wanted = pods;
    return await deploy(await this.#stage.lab(), pods);
  }

  async isWhole(): Promise<boolean> {
    const pods = await this.#whole();
    if (pods !== undefined) this.#pods = pods;
    return pods !== undefined;
  }

  /** What counts as before stays what it was: the next machine may be asked for as well. */
  async isReplacedOn(machine: MachineName): Promise<boolean> {
    const pods = await this.#whole();
    return pods !== undefined && areReplaced(this.#pods, machine, pods);
  }

  async setStateful(machine: MachineName): Promise<boolean> {
    return await setStateful(await this.#stage.lab(), machine);
  }

  /** Another one than the last time. */
  async hasStatefulOn(machine: MachineName): Promise<boolean> {
    const pod = await statefulPod(await this.#stage.lab());
    if (pod === undefined || pod.machine !== machine || pod.uid === this.#stateful) return false;
    this.#stateful = pod.uid;
    return true;
  }

  async findsNamesOn(machine: MachineName): Promise<boolean> {
    return await findsNames(await this.#stage.lab(), machine);
  }

  async #whole(): Promise<readonly Pod[] | undefined> {
    return this.#wanted === 0 ? undefined : await wholePods(await this.#stage.lab(), this.#wanted);
  }

  /** It has some, and none there. */
  async hasNoEndpointOn(machine: MachineName, service: string): Promise<boolean> {
    const on = (await endpointsOn(await this.#stage.lab(), service)) ?? [];
    return on.length > 0 && !on.includes(machine);
  }

  /** Undefined: the API does not tell. */
  async outOfService(): Promise<readonly string[] | undefined> {
    return await outOfServiceNow(await this.#stage.lab());
  }

  /** A lab that stays has to be as it was. */
  async close(stays: boolean): Promise<void> {
    if (stays && this.#wanted > 0) await removeDeployment(await this.#stage.lab());
    if (stays && this.#stateful !== undefined) await removeStateful(await this.#stage.lab());
  }
}

/** What a scenario says of them. */
export function workloadWords(workload: Workload, eyes: Eyes) {
  const whole = (within_ms: number) =>
    eyes.until("the deployment is not whole", within_ms, () => workload.isWhole());
  const noEndpoint = (service: string, machine: MachineName, within_ms: number) =>
    eyes.until(`Service ${service} still has an endpoint on ${machine}, or has none at all`, within_ms, () =>
      workload.hasNoEndpointOn(machine, service),
    );
  const stateful = (machine: MachineName, within_ms: number) =>
    eyes.until(`the StatefulSet has no new pod on ${machine}`, within_ms, () =>
      workload.hasStatefulOn(machine),
    );
  const inService = async (): Promise<Seen> => {
    const names = await workload.outOfService();
    return { ok: names?.length === 0, seen: names?.join(" and ") ?? "the API does not tell" };
  };
  return {
    deploy: async ({ number }) => {
      const made = await eyes.until("the API took no deployment", deploy_ms_max, () =>
        workload.deploy(number),
      );
      return made.ok ? await whole(deploy_ms_max) : made;
    },
    "deploy-stateful": async ({ machine }) => {
      const made = await eyes.until("the API took no StatefulSet", deploy_ms_max, () =>
        workload.setStateful(machine),
      );
      return made.ok ? await stateful(machine, deploy_ms_max) : made;
    },
    "until-stateful-replaced": ({ machine, within_ms }) => stateful(machine, within_ms),
    "until-names": ({ machine, within_ms }) =>
      eyes.until(`not every lookup on ${machine} finds the Service`, within_ms, () =>
        workload.findsNamesOn(machine),
      ),
    "until-deployment": ({ within_ms }) => whole(within_ms),
    "until-replaced": ({ machine, within_ms }) =>
      eyes.until(`not all pods of ${machine} are replaced`, within_ms, () => workload.isReplacedOn(machine)),
    "until-no-endpoint": ({ machine, within_ms }) => noEndpoint(deployment, machine, within_ms),
    "until-no-api-endpoint": ({ machine, within_ms }) => noEndpoint(apiService, machine, within_ms),
    "until-out-of-service": ({ machine, within_ms }) =>
      eyes.until(
        `${machine} has no such taint`,
        within_ms,
        async () => (await workload.outOfService())?.includes(machine) === true,
        look_ms,
      ),
    "until-in-service": ({ within_ms }) =>
      eyes.until(
        "somebody has such a taint, or the API does not tell",
        within_ms,
        async () => (await inService()).ok,
      ),
    "expect-in-service": inService,
  } as const satisfies Doing;
}
