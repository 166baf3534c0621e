import { servesAlone } from "../decision.ts";
import type { Both, Told } from "./deeds.ts";
import { type Id, isUsable, names, other, serves, type World } from "./world.ts";

/** What must never be: by what happens, and by what the rules would allow. */
export function violation(world: World, told: Both): string | undefined {
  const [a, b] = world.machines;
  if (a.life.etcd === "sole" && b.life.etcd === "sole") return "both machines serve alone";
  for (const id of [0, 1] as const) {
    const { life, disk } = world.machines[id];
    if (life.etcd === "sole" && !disk.complete)
      return `${names[id]} serves without all that was acknowledged`;
    if (life.etcd === "pair" && serves(world, id) && !a.disk.complete && !b.disk.complete)
      return "both serve, and neither holds all that was acknowledged";
  }
  if (![a, b].some(({ disk }) => disk.complete && isUsable(disk)))
    return "no machine holds all that was acknowledged in a form that may serve";
  const alone = ([0, 1] as const).filter((id) => mayServeAlone(world, id, told[id]));
  for (const id of alone) {
    if (!world.machines[id].disk.complete)
      return `${names[id]} may serve alone without all that was acknowledged`;
    if (world.machines[other(id)].life.etcd === "sole")
      return `${names[id]} may serve alone beside a peer that does`;
  }
  return alone.length === 2 ? "both machines may serve alone" : undefined;
}

function mayServeAlone(world: World, id: Id, told: readonly Told[]): boolean {
  const { disk, life } = world.machines[id];
  return told.some(
    ({ verdict: { decision } }) =>
      servesAlone(decision) || (decision.do === "start-plain" && disk.log === "sole" && life.etcd === "down"),
  );
}
