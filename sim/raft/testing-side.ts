// For tests: the same steps on the model and on real etcd.

/** What is asked of a world after its steps. Members are named by their machine, since ids differ. */
export interface Side {
  startOne(machine: number): Promise<void>;
  startBoth(): Promise<void>;
  put(machine: number, count: number): Promise<number>;
  kill(machine: number): Promise<void>;
  freeze(machine: number, frozen: boolean): Promise<void>;
  /** plain, with --force-new-cluster, or as a new member of a running cluster. */
  start(machine: number, how: "restart" | "force" | "join"): Promise<void>;
  change(
    on: number,
    what: "add learner" | "promote" | "remove" | "move leader",
    machine: number,
  ): Promise<string>;
  /** How many keys a linearizable read sees; undefined where it gets no answer. */
  count(machine: number): Promise<number | undefined>;
  leader(): Promise<number | undefined>;
  members(on: number): Promise<string>;
  ended(machine: number): Promise<string>;
  disk(machine: number): { readonly standing: string; readonly commitBehind: boolean };
  record(machine: number): Promise<void>;
  settle(): Promise<void>;
}

export const reason = (text: string): string =>
  /removed all voters|permanently removed/.exec(text)?.[0] ?? (text === "" ? "runs" : "ended");
