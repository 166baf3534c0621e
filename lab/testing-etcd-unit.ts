import { unitAt } from "../src/agents/hands/local-etcd.ts";
import { unitEffects } from "../src/agents/hands/unit.ts";
import { paths } from "../src/base/paths.ts";
import { readIfThere } from "../src/machine/files.ts";
import { loadSite } from "../src/machine/site-file.ts";

/** Run on a machine by the tests: one effect on etcd's unit, its outcome as JSON. */
const site = await loadSite(paths.site);
const name = (await readIfThere(paths.machine))?.trim();
const self = site.machines.find((m) => m.name === name);
const peer = site.machines.find((m) => m.name !== name);
if (self === undefined || peer === undefined) throw new Error("this is no machine of its site");
const unit = unitEffects({ ...unitAt(site, self, peer), noteHindrance: () => {} });

/** Beside others that use the box etcd takes long to come up; one that ended is told at once all the same. */
const up_ms = 60_000;
/** What hangs is killed just before it. */
const down_ms = 15_000;
const effects = {
  running: () => unit.isRunning(),
  start: () => unit.start("with its data", up_ms),
  first: () => unit.start("first", up_ms),
  join: () => unit.start("join", up_ms),
  stop: () => unit.stop(down_ms),
  force: () => unit.setForceFlag(),
  unforce: () => unit.dropForceFlag(),
  mask: () => unit.setMasked(true),
  unmask: () => unit.setMasked(false),
} as const;
const wanted = process.argv[2] ?? "";
const effect = Object.entries(effects).find(([each]) => each === wanted)?.[1];
if (effect === undefined) throw new Error(`no effect ${wanted}`);
const start_ms = performance.now();
const outcome = await effect();
process.stdout.write(`${JSON.stringify({ ...outcome, ms: Math.round(performance.now() - start_ms) })}\n`);
