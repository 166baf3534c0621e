import { stringify } from "yaml";
import type { MachineFile } from "../ignition.ts";
import { kubernetesPaths } from "./names.ts";

/** Something of the machine's that a pod sees. Nothing else of it does. */
export interface Mount {
  readonly path: string;
  readonly type: "Directory" | "File" | "FileOrCreate";
  /** Else it can only be read. */
  readonly writable?: true;
}

export interface StaticPod {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  readonly probes: object;
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly privileged?: true;
}

/**
 * A pod that the kubelet starts by itself, from a file. No priority class: there is none before the API's first start, and the kubelet
 * takes each static pod for a critical one anyway.
 */
export function staticPod(pod: StaticPod): MachineFile {
  const volume = (index: number) => `host-${index}`;
  return {
    path: `${kubernetesPaths.manifests}/${pod.name}.yaml`,
    mode: 0o600,
    content: stringify(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: pod.name,
          namespace: "kube-system",
          labels: { component: pod.name, tier: "control-plane" },
        },
        spec: {
          hostNetwork: true,
          // Where SELinux rules, a container may not read the machine's files else.
          securityContext: { seLinuxOptions: { type: "spc_t" } },
          containers: [
            {
              name: pod.name,
              image: pod.image,
              // A site may have no registry: what is there is used.
              imagePullPolicy: "IfNotPresent",
              command: pod.command,
              resources: { requests: pod.requests },
              ...pod.probes,
              ...(pod.privileged === true
                ? { securityContext: { privileged: true } }
                : { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } }),
              volumeMounts: pod.mounts.map(({ path, writable }, index) => ({
                name: volume(index),
                mountPath: path,
                readOnly: writable !== true,
              })),
            },
          ],
          volumes: pod.mounts.map(({ path, type }, index) => ({
            name: volume(index),
            hostPath: { path, type },
          })),
        },
      },
      { lineWidth: 0 },
    ),
  };
}

export interface Health {
  readonly host: string;
  readonly port: number;
  readonly live: string;
  readonly ready?: string;
}

/** Started within four minutes, then alive: after 80 s of silence it is started again. */
export function healthProbes({ host, port, live, ready }: Health): object {
  const get = (path: string) => ({ httpGet: { scheme: "HTTPS", host, port, path } });
  return {
    startupProbe: { ...get(live), periodSeconds: 2, timeoutSeconds: 15, failureThreshold: 120 },
    livenessProbe: { ...get(live), periodSeconds: 10, timeoutSeconds: 15, failureThreshold: 8 },
    ...(ready === undefined
      ? {}
      : { readinessProbe: { ...get(ready), periodSeconds: 1, timeoutSeconds: 15, failureThreshold: 3 } }),
  };
}
