import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, bench, FakeMetal, password, testTls, username } from "./testing.ts";
import { twoMachines } from "../../src/agents/hands/testing-site.ts";
import { type BmcFiles, Ways } from "../../src/agents/hands/ways.ts";
import { type TagTest, writeWitness } from "../../src/agents/hands/witness.ts";

const system = "/redfish/v1/Systems/1";

/** For tests: a machine's folder, two BMCs of the lab, and the ways to them from either machine. */
export async function twoBmcs() {
  const folder = await mkdtemp(join(tmpdir(), "duet-two-bmcs-"));
  const bmcs = {
    node1: await bench({ metal: new FakeMetal(true) }),
    node2: await bench({ metal: new FakeMetal(true) }),
  };
  await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
  await writeFile(join(folder, "bmc.credentials"), `${username}:${password}\n`, { mode: 0o600 });
  const urlOf = ({ bmc }: Bench) => `https://127.0.0.1:${bmc.port}`;
  const site = twoMachines({ node1: urlOf(bmcs.node1), node2: urlOf(bmcs.node2) });
  const filesOf = (me: string): BmcFiles => ({
    run: join(folder, me, "run"),
    assetTags: join(folder, me, "asset-tags"),
    witness: join(folder, me, "witness"),
    witnessSeen: join(folder, me, "witness-seen"),
    witnessSaid: join(folder, me, "witness-said"),
    tagTest: join(folder, me, "tag-test"),
  });
  type Name = keyof typeof bmcs;
  return {
    folder,
    site,
    bmcs,
    filesOf,
    /** As another process each time. */
    from: (me: Name) => new Ways({ site, me, folder, files: filesOf(me) }),
    tag: async (name: Name): Promise<string> => {
      const { AssetTag } = (await bmcs[name].call("GET", system)).json;
      return typeof AssetTag === "string" ? AssetTag : "";
    },
    write: (name: Name, AssetTag: string) => bmcs[name].call("PATCH", system, { body: { AssetTag } }),
    /** Both machines know that both BMCs were seen to keep their tag, by a test of this day. */
    tested: async (day = 10) => {
      const test = (name: Name): TagTest => ({
        bmc: urlOf(bmcs[name]),
        result: "kept",
        said: "keeps its tag over a reset",
        at: `2026-11-${day}T00:00:00.000Z`,
      });
      const tests = { node1: test("node1"), node2: test("node2") };
      for (const me of ["node1", "node2"]) await writeWitness(tests, filesOf(me).witness);
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of Object.values(bmcs)) await each[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
