import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { paths } from "../../base/paths.ts";
import { addressAgentFiles, addressRefused } from "../../render/address-agent.ts";
import { addressOperations } from "../../render/policy.ts";
import { type Memory, nothing_in_memory } from "../hands/memory.ts";
import { encodeMemory } from "../hands/memory-text.ts";
import { nothing_said } from "../hands/testing.ts";
import { isAddressFree } from "./refused.ts";

/** The agent itself, with an `ip` and a Corosync of ours: may the address be here while the peer is away? */

const root = mkdtempSync(join(tmpdir(), "duet-address-"));
after(() => rmSync(root, { recursive: true }));
const ring = "1.1a";

let count = 0;
class Machine {
  readonly folder = join(root, String(++count));
  readonly run = join(this.folder, "run");
  readonly #agent = join(this.folder, "agent");

  constructor() {
    mkdirSync(join(this.folder, "bin"), { recursive: true });
    mkdirSync(this.run);
    writeFileSync(join(this.folder, "boot"), "boot-1\n");
    this.at(0);
    const content = String(addressAgentFiles[0]?.content)
      .replaceAll(paths.run, this.run)
      .replaceAll("/proc/sys/kernel/random/boot_id", join(this.folder, "boot"))
      .replaceAll("/proc/uptime", join(this.folder, "uptime"))
      .replaceAll("/usr/libexec/heartbeat", join(this.folder, "bin"));
    writeFileSync(this.#agent, content, { mode: 0o755 });
    const has = join(this.folder, "has");
    this.#program("send_arp", "exit 0");
    this.#program("sleep", "exit 0");
    this.#program(
      "ip",
      `case "$*" in
  *"address show"*) [ ! -e ${has} ] || echo "2: eth0    inet 192.0.2.10/24 scope global secondary eth0" ;;
  *route*) echo "192.0.2.0/24 dev eth0 proto kernel" ;;
  *"address add"*) : >${has} ;;
  *"address del"*) rm ${has} ;;
esac`,
    );
    this.together();
  }

  #program(name: string, does: string): void {
    writeFileSync(join(this.folder, "bin", name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
  }

  #corosync(nodes: number | string, of: string): void {
    const said = `Quorum information\n------------------\nNodes:            ${nodes}\nNode ID:          1\nRing ID:          ${of}\nQuorate:          Yes\n`;
    this.#program("corosync-quorumtool", `printf '${said.replaceAll("\n", "\\n")}'`);
  }
  together = (of = "1.9") => this.#corosync(2, of);
  alone = (of = ring) => this.#corosync(1, of);
  says = (nodes: string) => this.#corosync(nodes, ring);
  silent = () => this.#program("corosync-quorumtool", "exit 1");
  /** Alone, and each answer takes so long. */
  slowly(by_s: number): void {
    this.alone();
    const [tool, uptime] = [join(this.folder, "bin", "corosync-quorumtool"), join(this.folder, "uptime")];
    appendFileSync(
      tool,
      `\nread -r up _ <${uptime}\necho "$((\${up%.*} + ${by_s})).50 0.00" >${uptime}\necho >>${this.#looks}\n`,
    );
  }
  at = (up_s: number) => writeFileSync(join(this.folder, "uptime"), `${up_s}.50 0.00\n`);
  get #looks(): string {
    return join(this.folder, "looks");
  }
  get looks(): number {
    return readFileSync(this.#looks, "utf8").length;
  }

  knows(memory: Memory, boot = "boot-1"): void {
    writeFileSync(join(this.run, "memory"), encodeMemory(memory, boot));
  }

  /** The first time that it waits. */
  dies = () => this.#program("sleep", "kill -KILL $PPID");

  /** Somebody took it away by hand. */
  loses = () => rmSync(join(this.folder, "has"));

  do(action: string): { readonly status: number | null; readonly why: string } {
    const { status, stderr } = spawnSync(this.#agent, [action], {
      env: { PATH: `${join(this.folder, "bin")}:/usr/bin:/bin`, OCF_RESKEY_ip: "192.0.2.10" },
      encoding: "utf8",
      timeout: 20_000,
    });
    return { status, why: /^ocf-exit-reason:(.*)$/m.exec(stderr)?.[1] ?? "" };
  }

  get isRefused(): boolean {
    return existsSync(join(this.run, addressRefused));
  }
}

const remembering = (remembered: Partial<Memory["remembered"]>): Memory => ({
  ...nothing_in_memory,
  remembered: { ...nothing_in_memory.remembered, ...remembered },
});
const speaking = (of: string, peerDown: boolean): Memory => ({
  ...nothing_in_memory,
  spoken: { ring: of, word: { peerDown, accept: undefined, choose: undefined } },
});
const heard = { ...nothing_said, running: true };

const memories: readonly (readonly [isFree: boolean, what: string, memory: Memory])[] = [
  [false, "nothing", nothing_in_memory],
  [false, "the peer was here, and is lost", remembering({ seen: true, heard })],
  [true, "its Off was read", remembering({ seen: true, heard, provenIn: ring })],
  [false, "its Off was read for an earlier loss", remembering({ heard, provenIn: "1.16" })],
  [false, "or for one whose name only begins alike", remembering({ heard, provenIn: `${ring}4` })],
  [false, "Off was doubted", remembering({ heard, doubtedIn: ring })],
  [true, "an admin's word", speaking(ring, true)],
  [false, "a word about an earlier loss", speaking("1.16", true)],
  [false, "a word of something else", speaking(ring, false)],
  [true, "the peer said that it leaves", remembering({ heard: { ...heard, leaving: true } })],
];

test("alone, a machine starts the address where duet knows that the peer does not have it, and says why not", () => {
  for (const [isFree, what, memory] of memories) {
    const machine = new Machine();
    machine.alone();
    machine.knows(memory);
    const { status, why } = machine.do("start");
    assert.equal(status, isFree ? 0 : 1, what);
    assert.equal(machine.do("monitor").status, isFree ? 0 : 7, what);
    assert.equal(machine.isRefused, !isFree, what);
    if (!isFree)
      assert.match(why, /^the other machine is away and not proven off.*\(duet confirm-peer-down\)$/);
    assert.equal(isAddressFree({ ring, peerHere: false }, memory), isFree, what);
    assert.equal(isAddressFree({ ring, peerHere: true }, memory), true, what);
  }
});

test("beside the peer it starts as Pacemaker says, whatever is known", () => {
  const machine = new Machine();
  assert.equal(machine.do("start").status, 0);
  assert.equal(machine.do("monitor").status, 0);
});

test("what was known before a reboot is not known, and who can't see who is here starts nothing", () => {
  const machine = new Machine();
  machine.alone();
  machine.knows(remembering({ provenIn: ring }), "boot-0");
  assert.equal(machine.do("start").status, 1);
  machine.knows(remembering({ provenIn: ring }));
  machine.silent();
  rmSync(join(machine.run, addressRefused));
  assert.match(machine.do("start").why, /Corosync does not answer/);
  assert.equal(machine.isRefused, true, "it is tried again when Corosync answers");
  machine.alone();
  assert.equal(machine.do("start").status, 0);
  assert.equal(machine.isRefused, false, "the note goes with the success");
});

test("who had it when the peer went has it again, with no proof; who gave it up beside the peer has not", () => {
  const machine = new Machine();
  assert.equal(machine.do("start").status, 0);
  machine.alone("1.22");
  // Started anew in place, or taken away by hand.
  for (const _ of ["once", "again"]) {
    assert.equal(machine.do("stop").status, 0);
    assert.equal(machine.do("monitor").status, 7);
    assert.equal(machine.do("start").status, 0);
  }
  machine.together();
  assert.equal(machine.do("stop").status, 0);
  machine.alone("1.2a");
  assert.equal(machine.do("start").status, 1);
  machine.silent();
  assert.equal(machine.do("stop").status, 0, "a stop asks nobody");
});

test("what ended on a lone machine may be on its peer as soon as that was back: at the next loss it is free by proof alone", () => {
  for (const ending of ["stop", "monitor"]) {
    const machine = new Machine();
    assert.equal(machine.do("start").status, 0);
    machine.alone("1.d");
    if (ending === "monitor") machine.loses();
    machine.do(ending);
    // Pacemaker starts it on the peer, and stops nothing here: it knows that it is not here.
    machine.together("1.11");
    const none = machine.do("monitor");
    assert.equal(none.status, 7);
    machine.alone("1.15");
    const { status, why } = machine.do("start");
    assert.equal(status, 1, ending);
    assert.match(why, /not proven off/);
    // Not even by another stop, such as the one that Pacemaker has of what failed.
    assert.equal(machine.do("stop").status, 0);
    assert.equal(machine.do("start").status, 1, ending);
    machine.knows(remembering({ provenIn: "1.15" }));
    assert.equal(machine.do("start").status, 0, ending);
  }
});

test("nothing here looked while the peer was back: the membership has another name by then, and that is enough", () => {
  const machine = new Machine();
  assert.equal(machine.do("start").status, 0);
  machine.alone("1.d");
  assert.equal(machine.do("stop").status, 0);
  machine.alone("1.15");
  assert.equal(machine.do("monitor").status, 7);
  assert.equal(machine.do("start").status, 1);
  assert.equal(machine.do("stop").status, 0);
  assert.equal(machine.do("start").status, 1);
});

test("who has had it without an end has it still, however often the membership changed", () => {
  const machine = new Machine();
  assert.equal(machine.do("start").status, 0);
  for (const change of [
    () => machine.alone("1.d"),
    () => machine.together("1.11"),
    () => machine.alone("1.15"),
    () => machine.alone("1.19"),
  ]) {
    change();
    assert.equal(machine.do("monitor").status, 0);
  }
  machine.loses();
  assert.equal(machine.do("monitor").status, 7);
  assert.equal(machine.do("stop").status, 0);
  assert.equal(machine.do("start").status, 0);
});

test("what is missing beside the peer is nobody's before Pacemaker starts it again, and so is what an older duet noted", () => {
  const machine = new Machine();
  assert.equal(machine.do("start").status, 0);
  machine.loses();
  assert.equal(machine.do("monitor").status, 7);
  machine.alone();
  assert.equal(machine.do("start").status, 1);
  writeFileSync(join(machine.run, "address"), "");
  assert.equal(machine.do("start").status, 1);
});

test("a start that waits for a slow Corosync ends before Pacemaker kills it, and says why", () => {
  const start_s = addressOperations.find(({ name }) => name === "start")?.timeout_s ?? 0;
  // As long as a look may take, and a bit.
  const slow_s = 4;
  const machine = new Machine();
  machine.slowly(slow_s);
  machine.at(1000);
  const { status, why } = machine.do("start");
  assert.equal(status, 1);
  assert.match(why, /not proven off/);
  assert.equal(machine.isRefused, true);
  assert.ok(machine.looks >= 2, "it looked more than once");
  assert.ok(machine.looks * slow_s < start_s, `${machine.looks} looks`);
});

test("who kills a start that waits leaves the note", () => {
  const machine = new Machine();
  machine.alone();
  machine.dies();
  assert.equal(machine.do("start").status, null);
  assert.equal(machine.isRefused, true);
});

test("a number of machines that can't be is none beside which anything is started", () => {
  for (const nodes of ["0", "3", "two", "1x", "-"]) {
    const machine = new Machine();
    machine.says(nodes);
    assert.equal(machine.do("start").status, 1, nodes);
    assert.equal(machine.do("monitor").status, 7, nodes);
    machine.knows(remembering({ provenIn: ring }));
    assert.equal(machine.do("start").status, 1, nodes);
  }
});
