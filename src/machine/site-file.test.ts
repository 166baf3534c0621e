import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { site_bytes_max } from "../site/defaults.ts";
import { minimal } from "../site/samples.ts";
import { run } from "./process.ts";
import { loadSite, siteFolder } from "./site-file.ts";
import { loadTrust } from "./trust.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-site-"));
after(() => rm(folder, { recursive: true }));
const path = join(folder, "site.yaml");

const codes = (error: unknown) => {
  assert.ok(error instanceof DuetError);
  assert.equal(error.status, 2);
  return error.problems.map((problem) => problem.code);
};

test("a site is read from its file, and its paths are relative to the file's folder", async () => {
  await writeFile(path, minimal);
  assert.equal((await loadSite(path)).name, "shop-0042");
  assert.equal(siteFolder(path), folder);
});

test("everything wrong with the file is one error with status 2", async () => {
  await writeFile(path, minimal.replace("topology", "topolgy").replace("node2\n", "node1\n"));
  await assert.rejects(loadSite(path), (error) => {
    assert.deepEqual(codes(error), ["DUET-E-SITE-UNKNOWN-KEY", "DUET-E-SITE-DUPLICATE-NAME"]);
    return true;
  });
  for (const wrong of [join(folder, "none.yaml"), folder])
    await assert.rejects(loadSite(wrong), (error) => codes(error)[0] === "DUET-E-SITE-FILE");
});

test("a path that is no regular file, or a file that never ends, is refused at once", {
  timeout: 20_000,
}, async () => {
  const fifo = join(folder, "fifo");
  await run(["mkfifo", fifo]);
  for (const wrong of [fifo, "/dev/zero", "/dev/null"])
    await assert.rejects(loadSite(wrong), (error) => codes(error)[0] === "DUET-E-SITE-FILE");
  await writeFile(join(folder, "long.yaml"), "#".repeat(site_bytes_max + 1));
  await assert.rejects(
    loadSite(join(folder, "long.yaml")),
    (error) => codes(error)[0] === "DUET-E-SITE-SIZE",
  );
});

test("a certificate authority's file must hold a certificate", async () => {
  await writeFile(join(folder, "ca.pem"), "hello");
  const frame = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  await writeFile(join(folder, "broken.pem"), frame("aGVsbG8="));
  for (const file of ["ca.pem", "none.pem", "broken.pem", ".", "/dev/zero"])
    await assert.rejects(
      loadTrust({ by: "ca", file }, folder),
      (error) => codes(error)[0] === "DUET-E-TRUST-FILE",
    );
  assert.deepEqual(await loadTrust({ by: "nothing" }, folder), { by: "nothing" });
});
