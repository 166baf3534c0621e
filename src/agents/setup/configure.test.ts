import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { allOnline, refuseShrinking } from "./configure.ts";

const { site } = readSite(minimal, "site.yaml");
assert.ok(site !== undefined);

test("a site file that lacks a machine of the cluster takes none away; one that brings a machine does not shrink it", () => {
  refuseShrinking(site, []);
  refuseShrinking(site, ["node2"]);
  refuseShrinking(site, ["node2", "node1"]);
  assert.throws(
    () => refuseShrinking(site, ["node1", "node2", "node10"]),
    (error) =>
      error instanceof DuetError &&
      error.problems.length === 1 &&
      error.problems[0]?.code === "DUET-E-SETUP-SHRINK" &&
      error.problems[0].where === "node10",
  );
});

test("where a machine stays away setup ends, says which, and keeps the site as it is", async () => {
  const seen = (online: readonly string[], quorate = true) => ({
    dc: undefined,
    quorate,
    nodes: ["node1", "node2"].map((name) => ({ name, online: online.includes(name), unclean: false })),
  });
  await allOnline(site, async () => seen(["node1", "node2"]), 100);
  for (const [state, where] of [
    [seen(["node1"]), "node2"],
    [seen(["node1", "node2"], false), "the cluster"],
    [undefined, "node1 and node2"],
  ] as const)
    await assert.rejects(
      allOnline(site, async () => state, 100),
      (error) =>
        error instanceof DuetError &&
        error.problems[0]?.code === "DUET-E-SETUP-PEER-AWAY" &&
        error.problems[0].where === where &&
        /nothing was changed/.test(error.problems[0].what),
    );
});
