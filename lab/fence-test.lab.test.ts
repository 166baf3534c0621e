import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openLab } from "./folder.ts";
import { runIn } from "./run.ts";
import { freshLine } from "./scenario-credentials.ts";
import { duet, duetOk, on, ownLabsFolder } from "./testing.ts";

/** One lab: fencing proven without harm, not proven, proven for real; then another password, with both machines there. */
const labs = ownLabsFolder();
const name = "fencetest";
const lab = (...args: readonly string[]) => duetOk("lab", ...args, "--name", name);
const at = (place: string, ...command: readonly string[]) =>
  duet(["lab", "run", place, "--name", name, "--", ...command]);

before(async () => {
  await lab("up");
});
after(async () => {
  await lab("down");
});

/** Asks again and again whether this machine could be fenced, until `end`. */
function proofsUntil(machine: string) {
  const peer = machine === "node2" ? "node1" : "node2";
  const proofs: Awaited<ReturnType<typeof duet>>[] = [];
  const ended = new AbortController();
  const asking = (async () => {
    while (!ended.signal.aborted) proofs.push(await at(peer, "duet", "fence-test", machine));
  })();
  return {
    end: async () => {
      ended.abort();
      await asking;
      return proofs;
    },
  };
}

test("well: proven on the peer and from the seat, by the timer's unit too, and shown in the status", async () => {
  const here = await at("node1", "duet", "fence-test", "node2");
  assert.equal(here.status, 0, `${here.stdout}${here.stderr}`);
  assert.match(here.stdout, /node1 can switch node2 off: proven by BMC\./);
  const seat = await at("seat", "duet", "fence-test");
  assert.equal(seat.status, 0, `${seat.stdout}${seat.stderr}`);
  assert.match(seat.stdout, /node2 can switch node1 off[^]*node1 can switch node2 off/);
  await on(name, "node2", "systemctl", "start", "duet-fence-test.service");
  assert.match(await on(name, "node2", "duet", "status"), /tested 20/);
  assert.match(await on(name, "node2", "systemctl", "list-timers", "--all"), /duet-fence-test\.timer/);
  assert.equal((await at("node2", "duet", "fence-test", "node2")).status, 3, "nobody fences itself");
});

test("a refused password and a BMC without a wire: not proven, the unit fails, the status says what to do", async () => {
  await lab("bmc", "fault", "node2", "unauthorized");
  const refused = await at("node1", "duet", "fence-test", "node2", "--disruptive", "--yes");
  assert.equal(refused.status, 1, "and nobody was switched off");
  assert.match(refused.stdout, /DUET-E-REDFISH-LOGIN/);
  await lab("bmc", "fault", "node2", "none");
  await lab("wire", "cut", "node2:bmc");
  const unit = await at("node1", "systemctl", "start", "duet-fence-test.service");
  assert.notEqual(unit.status, 0);
  const { status, stdout } = await at("node1", "duet", "status", "--no-power");
  assert.equal(status, 1);
  assert.match(stdout, /its last test FAILED/);
  assert.match(stdout, /duet page DUET-E-REDFISH-(UNREACHABLE|DEADLINE)/);
  assert.match(await on(name, "node1", "systemctl", "is-active", "duet-fence-test-again.timer"), /^active/);
  await lab("wire", "heal", "node2:bmc");
  assert.equal((await at("node1", "duet", "fence-test")).status, 0);
});

test("rotated at 1+1: both machines prove the new password, and it is nowhere but in root's own files", async () => {
  const opened = await openLab(name);
  const line = await freshLine(opened, "node2");
  const sample =
    "for i in $(seq 80); do cat /proc/[0-9]*/cmdline; sleep 0.1; done 2>/dev/null > /run/arguments";
  const sampling = Promise.all(["node1", "node2"].map((machine) => on(name, machine, "sh", "-c", sample)));
  const proving = proofsUntil("node2");
  const { status, stdout, stderr } = await runIn(
    opened,
    "seat",
    ["duet", "credentials", "rotate", "node2", "--change"],
    { input: line, accept: "any", deadline_ms: 180_000 },
  );
  const proofs = await proving.end();
  assert.equal(status, 0, `${stdout}${stderr}`);
  // There was no moment in which node1 could not have switched node2 off.
  assert.ok(proofs.length >= 2, `${proofs.length} proofs while the password changed`);
  for (const proof of proofs) assert.equal(proof.status, 0, `${proof.stdout}${proof.stderr}`);
  assert.match(stdout, /node2 has proven them too/);
  await sampling;
  assert.equal(await readFile(join(labs, name, "site", "node2.bmc"), "utf8"), line);
  const password = line.trim().slice(line.indexOf(":") + 1);
  const find =
    'cat > /run/pw; for f in $(grep -rlaF -f /run/pw /etc /var /run /root /tmp 2>/dev/null); do stat -c "%a %n" "$f"; done;' +
    'echo "journal $(journalctl -o cat | grep -cF -f /run/pw)"; echo "CIB $(cibadmin --query | grep -cF -f /run/pw)"; rm /run/pw';
  for (const machine of ["node1", "node2"]) {
    const found = (
      await runIn(opened, machine, ["sh", "-c", `umask 077; ${find}`], {
        input: `${password}\n`,
        deadline_ms: 60_000,
      })
    ).stdout;
    assert.deepEqual(
      found
        .trim()
        .split("\n")
        .filter((each) => !each.endsWith("/run/pw")),
      ["600 /etc/duet/bmc/node2.credentials", "journal 0", "CIB 0"],
      machine,
    );
    assert.match(await on(name, machine, "stat", "-c", "%s", "/run/arguments"), /^[1-9]/);
  }
  for (const each of ["node1", "node2"]) {
    const proven = await at("seat", "duet", "fence-test", each);
    assert.equal(proven.status, 0, `${proven.stdout}${proven.stderr}`);
  }
});

test("for real: only with consent, then Off is read and 1+1 is back", async () => {
  assert.equal((await at("node1", "duet", "fence-test", "node2", "--disruptive")).status, 2);
  const real = await at("seat", "duet", "fence-test", "node2", "--disruptive", "--yes");
  assert.equal(real.status, 0, `${real.stdout}${real.stderr}`);
  assert.match(real.stderr, /as if its power cord were pulled/);
  assert.match(real.stdout, /For real: node2 was off after \d+\.\d s, and it is 1\+1 again/);
});
