import { createInterface } from "node:readline";
import * as v from "valibot";
import { fail } from "../../src/base/problem.ts";
import { now_ms, sleep } from "../../src/machine/clock.ts";
import { applyObject, getObject, type KubeApi, loadKubeApi } from "../../src/machine/kube-api.ts";
import { folder, labels, selector } from "./written.ts";

/**
 * In the operator's seat: writes a new ConfigMap each tenth of a second through the address that the kubeconfig names, each on
 * a connection of its own, as kubectl does. Says after each answer how far it is; when its input ends it looks for all that
 * was acknowledged, says what is missing, and ends.
 */
const every_ms = 100;
/** No longer than a person would wait; the next ones are on their way meanwhile. */
const write_ms = 2_000;
const list_ms = 30_000;

async function main([kubeconfig = ""]: readonly string[]): Promise<void> {
  const api = await loadKubeApi(kubeconfig);
  if (api === undefined)
    return fail("DUET-E-BUG", kubeconfig, "this is no kubeconfig of duet's", "please report this");
  const end = new AbortController();
  createInterface({ input: process.stdin }).on("close", () => {
    end.abort();
  });
  const tally = new Tally();
  const under_way = new Set<Promise<void>>();
  for (let number = 1; !end.signal.aborted; number += 1) {
    const one = write(api, `duet-writer-${number}`, tally).finally(() => under_way.delete(one));
    under_way.add(one);
    await sleep(every_ms);
  }
  await Promise.all(under_way);
  const there = await listed(api);
  tally.say([...tally.acknowledged].filter((name) => !there.has(name)));
}

/** What became of the writes so far. */
class Tally {
  readonly acknowledged = new Set<string>();
  #failed = 0;
  #gap_ms = 0;
  #last_ms: number | undefined;

  answered(name: string): void {
    const at_ms = now_ms();
    this.#gap_ms = Math.max(this.#gap_ms, at_ms - (this.#last_ms ?? at_ms));
    this.#last_ms = at_ms;
    this.acknowledged.add(name);
  }

  failed(): void {
    this.#failed += 1;
  }

  say(missing?: readonly string[]): void {
    const { size: acknowledged } = this.acknowledged;
    const told = { acknowledged, failed: this.#failed, gap_ms: this.#gap_ms, missing };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}

async function write(api: KubeApi, name: string, tally: Tally): Promise<void> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { name } };
  const { ok } = await applyObject(api, `${folder}/${name}`, body, write_ms);
  if (ok) tally.answered(name);
  else tally.failed();
  tally.say();
}

const listShape = v.object({
  items: v.array(v.object({ metadata: v.object({ name: v.string() }) })),
});

async function listed(api: KubeApi): Promise<ReadonlySet<string>> {
  const list = await getObject(api, `${folder}?${selector}`, listShape, list_ms);
  if (!list.ok) return fail("DUET-E-PROCESS-FAILED", folder, list.failure.said, "see its message");
  return new Set(list.value.items.map(({ metadata }) => metadata.name));
}

await main(process.argv.slice(2));
