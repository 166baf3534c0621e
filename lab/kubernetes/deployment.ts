import * as v from "valibot";
import { type Lab } from "../folder.ts";
import { runIn, seatName } from "../run.ts";
import { workloadImage } from "./containers.ts";

/** What a site's user has there: a Deployment, whose pods can be entered, behind a Service of the same name. */
export const name = "story";
const call_ms = 30_000;
/** kubectl gives up an API that does not answer. */
const patience = "--request-timeout=5s";

const objectOf = (replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        // Over both machines; where one is gone, on the other.
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "kubernetes.io/hostname",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: { app: name } },
          },
        ],
        containers: [
          {
            name,
            image: workloadImage,
            command: ["sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait"],
            resources: { limits: { memory: "16Mi" } },
          },
        ],
      },
    },
  },
});

const service: object = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** By the virtual IP, at the operator's seat. */
export const kubectl = (lab: Lab, ...words: readonly string[]) =>
  runIn(lab, seatName, ["kubectl", patience, ...words], { accept: "any", deadline_ms: call_ms });

export async function deploy(lab: Lab, replicas: number): Promise<boolean> {
  const { status } = await runIn(lab, seatName, ["kubectl", patience, "apply", "--filename=-"], {
    accept: "any",
    deadline_ms: call_ms,
    input: JSON.stringify({ apiVersion: "v1", kind: "List", items: [objectOf(replicas), service] }),
  });
  return status === 0;
}

export async function removeDeployment(lab: Lab): Promise<void> {
  await kubectl(lab, "delete", `deployment/${name}`, `service/${name}`, "--ignore-not-found", "--wait=false");
}

/** Each is made anew, where there is most room: over both machines. */
export async function respread(lab: Lab): Promise<void> {
  await kubectl(lab, "delete", "pods", `--selector=app=${name}`, "--wait=false");
}

const podsShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    items: v.array(
      v.object({
        metadata: v.object({ name: v.string(), uid: v.string(), deletionTimestamp: v.optional(v.string()) }),
        spec: v.object({ nodeName: v.optional(v.string(), "") }),
        status: v.object({
          conditions: v.optional(
            v.array(
              v.object({ type: v.string(), status: v.string(), lastTransitionTime: v.nullish(v.string()) }),
            ),
            [],
          ),
        }),
      }),
    ),
  }),
);

export interface Pod {
  readonly name: string;
  /** Of this pod and no other: one that a kubelet starts again in its place has the same. */
  readonly uid: string;
  readonly machine: string;
  /** Milliseconds since the epoch, by the second. */
  readonly ready_ms: number;
}

/** Those that the API has as ready, and that nobody has asked to go. */
export async function readyPods(lab: Lab): Promise<readonly Pod[]> {
  const { status, stdout } = await kubectl(lab, "get", "pods", `--selector=app=${name}`, "--output=json");
  if (status !== 0) return [];
  return v.parse(podsShape, stdout).items.flatMap(({ metadata, spec, status: { conditions } }) => {
    const ready = conditions.find((each) => each.type === "Ready" && each.status === "True");
    return ready === undefined || metadata.deletionTimestamp !== undefined
      ? []
      : [
          {
            name: metadata.name,
            uid: metadata.uid,
            machine: spec.nodeName,
            ready_ms: Date.parse(ready.lastTransitionTime ?? ""),
          },
        ];
  });
}

/** All that were asked for, ready; undefined: not so. The API may have a pod of a dead machine as ready for a while: so each is entered. */
export async function wholePods(lab: Lab, replicas: number): Promise<readonly Pod[] | undefined> {
  const pods = await readyPods(lab);
  if (pods.length !== replicas) return undefined;
  for (const pod of pods)
    if ((await kubectl(lab, "exec", pod.name, "--", "true")).status !== 0) return undefined;
  return pods;
}

/** None of those that were on the machine is there any more, also none that was started again where it was. */
export const areReplaced = (before: readonly Pod[], machine: string, now: readonly Pod[]): boolean => {
  const lost = new Set(before.flatMap((pod) => (pod.machine === machine ? [pod.uid] : [])));
  return lost.size > 0 && now.every(({ uid }) => !lost.has(uid));
};
