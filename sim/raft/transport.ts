import type { Kernel } from "../kernel/kernel.ts";
import type { Wire } from "../wire.ts";
import type { EtcdEnv } from "./env.ts";
import type { Member } from "./member.ts";
import type { Answer, Reply } from "./requests.ts";
import type { Message } from "./types.ts";

/** Appends have a connection of their own, and so have snapshots: heartbeats and votes overtake them. */
const streams = { append: 1, other: 2, snapshot: 3, call: 4 } as const;
const snapshot_us = 20_000;
const snapshot_us_max = 5_000_000;
const own_call_us = 50;

/** How etcd's peers talk, over a wire between machines. `runs` says which member runs on a machine. */
export function peerTransport(
  kernel: Kernel,
  wire: Wire,
  runs: (machine: number) => Member | undefined,
): EtcdEnv["carry"] {
  return (from, machine, message) => {
    const to = runs(machine);
    if (machine === from.machine) return;
    if (message.type === "snapshot") {
      sendSnapshot(kernel, wire, from, to, message);
      return;
    }
    // Nobody listens: the connection is refused, and the message dropped.
    if (to === undefined) return;
    const stream = message.type === "append" ? streams.append : streams.other;
    // A connection ends with the process at its end: what is under way then is lost.
    wire.send(from.machine, machine, stream, message, (arrived) => deliver(wire, from, to, arrived));
  };
}

/** An HTTP call between peers. A port where nobody listens refuses at once, a cut wire says nothing. */
export function peerCall(
  kernel: Kernel,
  wire: Wire,
  runs: (machine: number) => Member | undefined,
): EtcdEnv["call"] {
  return (from, machine, ask, reply) => {
    const back = (answer: Answer) => from.submit(() => reply(answer));
    const arrive = (answers: Reply) => {
      const to = runs(machine);
      if (to === undefined) answers({ ok: false, why: "connection refused", sure: true });
      else to.submit(() => ask(to.requests, answers));
    };
    if (machine === from.machine) kernel.after(own_call_us, () => arrive(back));
    else
      wire.send(from.machine, machine, streams.call, undefined, () =>
        arrive((answer) => wire.send(machine, from.machine, streams.call, undefined, () => back(answer))),
      );
  };
}

function deliver(wire: Wire, from: Member, to: Member, message: Message): void {
  if (!to.running) return;
  if (to.hasRemoved(message.from)) {
    wire.send(to.machine, from.machine, streams.other, undefined, () => from.toldRemoved());
    return;
  }
  to.meets(message.from, from.machine);
  to.receive(message);
}

/** Its sender is always told how it went: raft sends that member nothing else before. */
function sendSnapshot(
  kernel: Kernel,
  wire: Wire,
  from: Member,
  to: Member | undefined,
  message: Message,
): void {
  let told = false;
  const tell = (arrived: boolean) => {
    if (told || !from.running) return;
    told = true;
    from.requests.snapshotReported(message.to, arrived);
  };
  if (to === undefined) {
    kernel.after(own_call_us, () => tell(false));
    return;
  }
  kernel.after(snapshot_us, () => {
    wire.send(from.machine, to.machine, streams.snapshot, message, (arrived) => {
      deliver(wire, from, to, arrived);
      wire.send(to.machine, from.machine, streams.snapshot, undefined, () => tell(true));
    });
  });
  kernel.after(snapshot_us_max, () => tell(false));
}
