import { until } from "../../src/machine/clock.ts";
import { apiUrl } from "../../src/render/kubernetes/names.ts";
import { type Lab, labHint } from "../folder.ts";
import { passing, runIn, seatName } from "../run.ts";

const ready_ms_max = 300_000;
const call_ms = 30_000;

/** What waits for a part of Kubernetes, in kubectl's words: they end with an error while it is not so. */
const parts = ({ site }: Lab) =>
  [
    ["wait", "--for=condition=Ready", ...site.machines.map(({ name }) => `node/${name}`), "--timeout=5s"],
    ["rollout", "status", "daemonset/coredns", "--namespace=kube-system", "--timeout=5s"],
  ] as const;

/** An administrator's credentials at the operator's seat, and then until both nodes are Ready and their names are served. */
export async function waitKubernetes(lab: Lab): Promise<void> {
  await runIn(lab, seatName, ["duet", "kubeconfig", "--force"], { deadline_ms: call_ms });
  await waitParts(lab);
}

/** The same with the credentials that the seat has. */
export async function waitParts(lab: Lab): Promise<void> {
  // Not by the virtual IP: this is about the machines.
  const server = `--server=${apiUrl(lab.site.machines[0]?.addresses[0] ?? "")}`;
  for (const part of parts(lab))
    await until(
      `${part.join(" ")} (see: ${labHint(lab.name, "run seat")} -- kubectl get pods -A)`,
      () =>
        passing(async () => {
          const words = ["kubectl", server, ...part];
          return (await runIn(lab, seatName, words, { accept: "any", deadline_ms: call_ms })).status === 0;
        }),
      { deadline_ms: ready_ms_max, every_ms: 500 },
    );
}
