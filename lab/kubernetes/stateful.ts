import * as v from "valibot";
import type { MachineName } from "../../src/scenario/slots.ts";
import type { Lab } from "../folder.ts";
import { runIn, seatName } from "../run.ts";
import { workloadImage } from "./containers.ts";
import { kubectl } from "./deployment.ts";

/** A pod with a name of its own: no other takes its place before it is known to be gone. */
const name = "story-state";
const call_ms = 30_000;

/** Where it is wanted, and elsewhere rather than nowhere. */
const objectOn = (machine: MachineName): object => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name },
  spec: {
    replicas: 1,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 100,
                preference: {
                  matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [machine] }],
                },
              },
            ],
          },
        },
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

export async function setStateful(lab: Lab, machine: MachineName): Promise<boolean> {
  const { status } = await runIn(
    lab,
    seatName,
    ["kubectl", "--request-timeout=5s", "apply", "--filename=-"],
    { accept: "any", deadline_ms: call_ms, input: JSON.stringify(objectOn(machine)) },
  );
  return status === 0;
}

export async function removeStateful(lab: Lab): Promise<void> {
  await kubectl(lab, "delete", `statefulset/${name}`, "--ignore-not-found", "--wait=false");
}

const podShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    metadata: v.object({ uid: v.string(), deletionTimestamp: v.optional(v.string()) }),
    spec: v.object({ nodeName: v.optional(v.string()) }),
    status: v.object({
      conditions: v.optional(v.array(v.object({ type: v.string(), status: v.string() })), []),
    }),
  }),
);

export interface StatefulPod {
  readonly uid: string;
  readonly machine: string;
}

/** The pod as the API tells of it; undefined: it is not ready, or somebody has asked it to go. */
export function readyStateful(pod: string): StatefulPod | undefined {
  const { metadata, spec, status } = v.parse(podShape, pod);
  const ready = status.conditions.some((each) => each.type === "Ready" && each.status === "True");
  if (!ready || metadata.deletionTimestamp !== undefined || spec.nodeName === undefined) return undefined;
  return { uid: metadata.uid, machine: spec.nodeName };
}

/** The API may have that of a dead machine as ready for a while: so it is entered. */
export async function statefulPod(lab: Lab): Promise<StatefulPod | undefined> {
  const { status, stdout } = await kubectl(lab, "get", `pod/${name}-0`, "--output=json");
  const pod = status === 0 ? readyStateful(stdout) : undefined;
  if (pod === undefined) return undefined;
  return (await kubectl(lab, "exec", `${name}-0`, "--", "true")).status === 0 ? pod : undefined;
}
