import type { Lab } from "../folder.ts";
import { clusterDomain } from "../../src/render/kubernetes/names.ts";
import { kubectl, name, readyPods } from "./deployment.ts";

/** Each may be sent to another of the copies of DNS: where one of them is dead, so many hardly all miss it. */
const lookups = 8;

/** What `nslookup` prints: the answer is below the name that was asked for, and who gave it above. */
export function answersIn(said: string): readonly string[] {
  const [, ...answers] = said.split(/^Name:/m);
  return answers.flatMap((answer) =>
    [...answer.matchAll(/^Address(?: \d+)?: *(\S+)/gm)].map(([, at = ""]) => at),
  );
}

/** From a pod of the Deployment on that machine each lookup of its Service finds the Service's address. */
export async function findsNames(lab: Lab, machine: string): Promise<boolean> {
  const pod = (await readyPods(lab)).find((each) => each.machine === machine);
  if (pod === undefined) return false;
  const { stdout: address } = await kubectl(
    lab,
    "get",
    `service/${name}`,
    "--output=jsonpath={.spec.clusterIP}",
  );
  for (let count = 0; count < lookups; count += 1) {
    const asked = ["nslookup", `${name}.default.svc.${clusterDomain}`] as const;
    const { status, stdout } = await kubectl(lab, "exec", pod.name, "--", ...asked);
    if (status !== 0 || address === "" || !answersIn(stdout).includes(address)) return false;
  }
  return true;
}
