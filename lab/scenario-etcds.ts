import { decodeState, type State } from "../src/facts/state.ts";
import { etcdPorts, paths } from "../src/base/paths.ts";
import { localUrl, maskFile, tlsFile } from "../src/render/etcd.ts";
import { isPair, type MemberIds } from "../src/scenario/membership.ts";
import { type MachineName, machine_names, otherThan } from "../src/scenario/slots.ts";
import { type Held, newestOf } from "../src/scenario/takeover.ts";
import { type Member, parseMembers, parseStatus, type Status } from "./etcdctl.ts";
import { machineOf } from "./folder.ts";
import { isHung, isOn } from "./metal/power.ts";
import { passing, runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** A write that is not acknowledged by then is none. */
const write_ms = 3_000;
const look_ms = 3_000;
const key = "duet-scenario/probe";

/** The two etcds, asked as a person on each machine would: with etcdctl, at the machine's own, and by duet's file beside it. */
export class Etcds {
  readonly #stage: Stage;
  #count = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** It has power and goes on: it can be asked. */
  async isUp(name: MachineName): Promise<boolean> {
    const lab = await this.#stage.lab();
    const machine = machineOf(lab, name);
    return (await isOn(lab, machine)) && !(await isHung(lab, machine));
  }

  /** Undefined where it has none, or none that can be read now. */
  async stateOf(name: MachineName): Promise<State | undefined> {
    const text = await this.#told(name, ["cat", paths.state]);
    if (text === undefined) return undefined;
    let state: State | undefined;
    await passing(async () => {
      state = decodeState(text, paths.state);
      return true;
    });
    return state;
  }

  /** By the files of those that can be asked. */
  async held(): Promise<Held> {
    const [one, other] = await Promise.all([this.stateOf("node1"), this.stateOf("node2")]);
    return { node1: one?.lineage, node2: other?.lineage };
  }

  /** What they hold before a scenario does anything to them; the first time that there is something to note. */
  async noteHeld(): Promise<void> {
    this.#stage.lineage_before ??= newestOf(await this.held());
  }

  /** A linearizable write through this machine's own etcd was acknowledged. */
  async serves(name: MachineName): Promise<boolean> {
    this.#count += 1;
    const written = await this.#etcdctl(name, ["put", key, `${name} ${this.#count}`], write_ms);
    return written?.trim() === "OK";
  }

  /** By a linearizable read; undefined where that is not answered. */
  async membersBy(name: MachineName): Promise<readonly Member[] | undefined> {
    const text = await this.#etcdctl(name, ["member", "list"], look_ms);
    return text === undefined ? undefined : parseMembers(text);
  }

  /** By the linearizable word of the first that gives one. */
  async #members(): Promise<readonly Member[]> {
    for (const name of machine_names) {
      const members = await this.membersBy(name);
      if (members !== undefined) return members;
    }
    return [];
  }

  /** Who has a vote; nobody where nobody tells. */
  async voters(): Promise<readonly string[]> {
    return (await this.#members()).flatMap((member) => (member.isLearner ? [] : [member.name]));
  }

  async memberIds(): Promise<MemberIds> {
    const members = await this.#members();
    const idOf = (machine: MachineName) => members.find((member) => member.name === machine)?.id;
    return { node1: idOf("node1"), node2: idOf("node2") };
  }

  async noteMembers(): Promise<void> {
    if (this.#stage.members_before !== undefined) return;
    const ids = await this.memberIds();
    if (isPair(ids)) this.#stage.members_before = ids;
  }

  async statusOf(name: MachineName): Promise<Status | undefined> {
    const text = await this.#etcdctl(name, ["endpoint", "status", "--write-out=fields"], look_ms);
    return text === undefined ? undefined : parseStatus(text);
  }

  /** Of two that both believe it, the one of the later term. */
  async leader(): Promise<MachineName | undefined> {
    const found = await Promise.all(
      machine_names.map(async (name) => ({ name, status: await this.statusOf(name) })),
    );
    const leading = found
      .filter(({ status }) => status !== undefined && status.id === status.leader)
      .toSorted((a, b) => (b.status?.term ?? 0) - (a.status?.term ?? 0));
    return leading[0]?.name;
  }

  async follower(): Promise<MachineName | undefined> {
    const leader = await this.leader();
    return leader === undefined ? undefined : otherThan(leader);
  }

  /** Two voters by the word of both, both full, of the same lineage. */
  async isWhole(): Promise<boolean> {
    const [one, other] = await Promise.all(machine_names.map((name) => this.#standing(name)));
    if (one === undefined || other === undefined) return false;
    return (
      one.voters === 2 &&
      other.voters === 2 &&
      one.state.full &&
      other.state.full &&
      one.state.lineage?.epoch === other.state.lineage?.epoch &&
      one.state.lineage?.owner === other.state.lineage?.owner
    );
  }

  async #standing(
    name: MachineName,
  ): Promise<{ readonly voters: number; readonly state: State } | undefined> {
    const [members, state] = await Promise.all([this.membersBy(name), this.stateOf(name)]);
    if (members === undefined || state === undefined) return undefined;
    return { voters: members.filter(({ isLearner }) => !isLearner).length, state };
  }

  /** The machine that serves as the only voter. */
  async alone(): Promise<MachineName | undefined> {
    for (const name of machine_names) {
      const voters = (await this.membersBy(name))?.filter(({ isLearner }) => !isLearner);
      if (voters?.length === 1 && voters[0]?.name === name && (await this.serves(name))) return name;
    }
    return undefined;
  }

  /** By its own word, or by the list of the machine that it follows. */
  async isLearner(name: MachineName): Promise<boolean> {
    const [own, listed] = await Promise.all([this.statusOf(name), this.membersBy(otherThan(name))]);
    return (
      own?.isLearner === true || listed?.some((member) => member.name === name && member.isLearner) === true
    );
  }

  /** A voter by its own word. Its file is read last: what is not full then was not full before. */
  async isNotFull(name: MachineName): Promise<boolean> {
    if ((await this.statusOf(name))?.isLearner !== false) return false;
    return (await this.stateOf(name))?.full === false;
  }

  /** On disk, and nothing can start it. */
  async hasSurrendered(name: MachineName): Promise<boolean> {
    const state = await this.stateOf(name);
    return state?.surrendered !== undefined && (await this.#told(name, ["cat", maskFile])) !== undefined;
  }

  /** One more large value. True: etcd has none of it any more, and has raised its alarm. */
  async fill(name: MachineName, under: string, value_bytes: number): Promise<boolean> {
    this.#count += 1;
    // By its input: an argument may not be that long.
    await this.#etcdctl(name, ["put", `${under}/${this.#count}`], write_ms, "x".repeat(value_bytes));
    return (await this.#etcdctl(name, ["alarm", "list"], look_ms))?.includes("NOSPACE") === true;
  }

  /** No alarm, and nothing left of what was written to fill it. */
  async disarm(name: MachineName, under: string): Promise<void> {
    if (((await this.#etcdctl(name, ["alarm", "list"], look_ms)) ?? "").trim() === "") return;
    await this.#etcdctl(name, ["del", "--prefix", under], look_ms);
    await this.#etcdctl(name, ["alarm", "disarm"], look_ms);
  }

  /** `node1: voter, full, epoch 2 of node1; node2: no etcd, ...`, for who reads a failed step. */
  async standing(): Promise<string> {
    const told = machine_names.map(async (name) => {
      if (!(await this.isUp(name))) return `${name} can't be asked`;
      const [status, members, state] = [
        await this.statusOf(name),
        await this.membersBy(name),
        await this.stateOf(name),
      ];
      const etcd =
        status === undefined
          ? "no etcd answers"
          : `${status.isLearner ? "a learner" : "a voter"}, ${status.leader === "0" ? "no leader" : status.leader === status.id ? "leads" : "follows"}`;
      const list = members?.map((m) => `${m.name}${m.isLearner ? " (learner)" : ""}`).join(" and ");
      const { lineage, full, takeover, surrendered } = state ?? {};
      return [
        `${name}: ${etcd}`,
        `members ${list ?? "not told"}`,
        `epoch ${lineage?.epoch ?? "none"} of ${lineage?.owner ?? "nobody"}`,
        full === true ? "full" : "not full",
        ...(takeover === undefined ? [] : [`takeover ${takeover.step} ${takeover.epoch}`]),
        ...(surrendered === undefined ? [] : [`surrendered ${surrendered}`]),
      ].join(", ");
    });
    return (await Promise.all(told)).join("; ");
  }

  async #etcdctl(
    name: MachineName,
    argv: readonly string[],
    deadline_ms: number,
    input?: string,
  ): Promise<string | undefined> {
    const { site } = await this.#stage.lab();
    return await this.#told(
      name,
      [
        "etcdctl",
        `--endpoints=${localUrl(site, etcdPorts.client)}`,
        `--cacert=${tlsFile("ca", "crt")}`,
        `--cert=${tlsFile("client", "crt")}`,
        `--key=${tlsFile("client", "key")}`,
        `--command-timeout=${deadline_ms}ms`,
        `--dial-timeout=${deadline_ms}ms`,
        ...argv,
      ],
      2 * deadline_ms,
      input,
    );
  }

  /** What a command on the machine prints; undefined where it fails, or nobody is there to run it. */
  async #told(
    name: MachineName,
    argv: readonly string[],
    deadline_ms = look_ms,
    input?: string,
  ): Promise<string | undefined> {
    let printed: string | undefined;
    await passing(async () => {
      if (!(await this.isUp(name))) return false;
      const { status, stdout } = await runIn(await this.#stage.lab(), name, argv, {
        accept: "any",
        deadline_ms,
        ...(input === undefined ? {} : { input }),
      });
      if (status === 0) printed = stdout;
      return true;
    });
    return printed;
  }
}
