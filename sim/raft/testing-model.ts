import { appendCommitRecord } from "./data.ts";
import type { Answer, Reply, Requests } from "./requests.ts";
import { walFacts } from "./standing.ts";
import { reason, type Side } from "./testing-side.ts";
import { RaftWorld } from "./world.ts";

/** The model, on virtual time. */
export class ModelSide implements Side {
  readonly world: RaftWorld;

  constructor(machines = 2) {
    const etcd = { snapshot_entries: 100_000 };
    this.world = new RaftWorld({ seed: 4 }, { machines, clientsOnly: true, etcd });
  }

  async settle(): Promise<void> {
    this.world.kernel.runSync(this.world.kernel.now_us + 8_000_000);
  }
  async startOne(machine: number): Promise<void> {
    this.world.startOne(machine);
    await this.settle();
  }
  async startBoth(): Promise<void> {
    const members = { [this.world.freshId()]: 0, [this.world.freshId()]: 1 };
    for (const [id, machine] of Object.entries(members))
      this.world.start(machine, { kind: "new", members }, Number(id));
    await this.settle();
  }
  #ask(machine: number, ask: (requests: Requests, reply: Reply) => void): Answer | undefined {
    const answers: Answer[] = [];
    const member = this.world.running(machine);
    member?.submit(() => ask(member.requests, (answer) => answers.push(answer)));
    const { kernel } = this.world;
    for (let i = 0; i < 30 && answers.length === 0; i += 1) kernel.runSync(kernel.now_us + 100_000);
    return answers[0];
  }
  async put(machine: number, count: number): Promise<number> {
    let done = 0;
    for (let i = 0; i < count; i += 1) {
      const { id } = this.world.history.begin("write", 1);
      if (this.#ask(machine, (requests, reply) => requests.put(1, id, reply))?.ok === true) done += 1;
      else break;
    }
    return done;
  }
  async kill(machine: number): Promise<void> {
    this.world.kill(machine);
  }
  async freeze(machine: number, frozen: boolean): Promise<void> {
    if (frozen) this.world.member(machine).pause();
    else this.world.member(machine).resume();
  }
  async start(machine: number, how: "restart" | "force" | "join"): Promise<void> {
    if (how === "join") {
      const { membership } = this.world.member(0).applier;
      const id = membership.learners[0] ?? 0;
      const { [id]: _, ...members } = membership.machines;
      this.world.start(machine, { kind: "join", members }, id);
    } else this.world.start(machine, { kind: how === "force" ? "force new cluster" : "restart" });
    await this.settle();
  }
  async change(on: number, what: string, machine: number): Promise<string> {
    const { membership } = this.world.member(on).applier;
    const all = [...membership.voters, ...membership.learners];
    const target = all.find((id) => membership.machines[id] === machine) ?? 0;
    const answer = this.#ask(on, (requests, reply) => {
      if (what === "add learner") requests.addLearner(this.world.freshId(), machine, reply);
      else if (what === "promote") requests.promote(target, reply);
      else if (what === "remove") requests.remove(target, reply);
      else requests.moveLeader(target, reply);
    });
    if (answer === undefined) return "no answer";
    return answer.ok ? "ok" : answer.why;
  }
  async count(machine: number): Promise<number | undefined> {
    const answer = this.#ask(machine, (requests, reply) => requests.read(reply));
    return answer?.ok === true ? this.world.member(machine).applier.store.revision : undefined;
  }
  async leader(): Promise<number | undefined> {
    const members = this.world.machines
      .map((_, machine) => this.world.running(machine))
      .filter((member) => member?.paused === false);
    const leader = members.find((member) => member?.raft.role === "leader");
    return members.every((member) => member?.raft.lead === leader?.id) ? leader?.machine : undefined;
  }
  async members(on: number): Promise<string> {
    const { voters, learners, machines } = this.world.member(on).applier.membership;
    const name = (kind: string) => (id: number) => `${machines[id]} ${kind}`;
    return [...voters.map(name("voter")), ...learners.map(name("learner"))].toSorted().join(", ");
  }
  async ended(machine: number): Promise<string> {
    return reason(this.world.machines[machine]?.member?.ended ?? "");
  }
  disk(machine: number) {
    const facts = walFacts(this.world.data(machine));
    return { standing: facts.standing, commitBehind: facts.commit < facts.last_index };
  }
  async record(machine: number): Promise<void> {
    appendCommitRecord(this.world.data(machine));
  }
}
