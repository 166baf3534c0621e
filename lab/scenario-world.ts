import { now_ms, sleep } from "../src/machine/clock.ts";
import type { Progress } from "../src/machine/progress.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, ScenarioWorld, Seen } from "../src/scenario/world.ts";
import { cutWire, disturbDisk, healWire, setFault } from "./fault-commands.ts";
import { bringUnits, unitsToBring } from "./fixture-unit.ts";
import { switchFeed, switchPower } from "./power-commands.ts";
import { runIn } from "./run.ts";
import { Address, addressWords } from "./scenario-address.ts";
import { adminWords } from "./scenario-admin.ts";
import { endsCalm } from "./scenario-calm.ts";
import { wholeAgain, wiresNamed } from "./scenario-care.ts";
import { Clients, clientWords } from "./scenario-clients.ts";
import { clockWords, hasJumps, letClocksJump } from "./scenario-clock.ts";
import { credentialWords } from "./scenario-credentials.ts";
import { dataWords, endDataFaults } from "./scenario-data.ts";
import { etcdWords } from "./scenario-etcd.ts";
import { Etcds } from "./scenario-etcds.ts";
import { Eyes } from "./scenario-eyes.ts";
import { Kept, keptWords } from "./scenario-kept.ts";
import { Kubernetes, kubernetesWords } from "./scenario-kubernetes.ts";
import { lacks } from "./scenario-lacks.ts";
import { plannedWords } from "./scenario-planned.ts";
import { lackedAtMoments, Moments, moments_here } from "./scenario-moments.ts";
import { Processes, processWords, programsToKeep } from "./scenario-processes.ts";
import { setupWords } from "./scenario-setup.ts";
import { isSlow } from "./scenario-slow.ts";
import { Stage, type StageHeader } from "./scenario-stage.ts";
import { signalProgram, unitWords } from "./scenario-units.ts";
import { Workload, workloadWords } from "./scenario-workload.ts";

/** Scenarios on the lab's two machines: each step is what a person at the lab's commands would do or look at. */

export interface LabWorld extends ScenarioWorld {
  /** Takes away what the scenario's run made; a lab that was there before stays. */
  readonly close: () => Promise<void>;
}

export interface LabWorldOptions {
  readonly name: string;
  readonly header: StageHeader;
  readonly progress: Progress;
  /** Use the lab of that name if it is there, made whole first, and leave it behind. */
  readonly reuse?: boolean;
}

const done = (seen = ""): Seen => ({ ok: true, seen });
const both = (work: (name: MachineName) => Promise<void>): Promise<unknown> =>
  Promise.all(machine_names.map(work));

export function labWorld(options: LabWorldOptions): LabWorld {
  const stage = new Stage(options);
  const eyes = new Eyes(stage);
  const etcds = new Etcds(stage);
  const clients = new Clients(stage, etcds, options.progress, options.reuse === true);
  const address = new Address(stage);
  const kubernetes = new Kubernetes(stage, (...of) => address.lived(...of));
  const workload = new Workload(stage);
  const processes = new Processes(stage);
  const kept = new Kept(stage);
  const moments = new Moments(stage);
  const markFailures = () => {
    clients.markFailures();
    kubernetes.failures.mark();
  };
  const start_ms = now_ms();
  let wanted: Wanted = { units: [], jumps: false, kept: [] };
  return {
    name: "lab",
    time: "real",
    now_ms: () => now_ms() - start_ms,
    does: {
      ...beginnings(stage, { eyes, etcds, address, kept }, () => wanted),
      ...losses(stage, moments, async () => {
        await eyes.attend();
        await processes.note(wanted.kept);
        markFailures();
        address.mark();
      }),
      ...faults(stage),
      ...unitWords(stage),
      ...plannedWords(stage, eyes, () => address.mark()),
      ...dataWords(stage, etcds, markFailures),
      ...credentialWords(stage),
      ...clockWords(stage),
      ...adminWords(stage, () => kept.note()),
      ...setupWords(stage),
      ...sights(eyes),
      ...etcdWords(stage, eyes, etcds),
      ...clientWords(clients, eyes),
      ...kubernetesWords(kubernetes, eyes),
      ...workloadWords(workload, eyes),
      ...addressWords(address, eyes, stage.name),
      ...processWords(processes),
      ...keptWords(kept),
    },
    roles: {
      "the leader": () => etcds.leader(),
      "the follower": () => etcds.follower(),
      "the controllers' leader": () => kubernetes.controllersLeader(),
      "the address's holder": () => address.holder(),
      "the survivor": () => eyes.survivor(() => etcds.alone()),
    },
    arm: moments.arm,
    moments: moments_here,
    meanwhile: moments.meanwhile,
    unmet: moments.unmet,
    lacks: (scenario) => {
      wanted = {
        units: unitsToBring(scenario),
        jumps: hasJumps(scenario),
        kept: programsToKeep(scenario),
      };
      return [...lacks(scenario), ...lackedAtMoments(scenario)];
    },
    end: (scenario) => endsCalm(stage, eyes, scenario),
    close: async () => {
      eyes.close();
      moments.close();
      await address.close();
      await clients.close();
      await kubernetes.close(options.reuse === true);
      await workload.close(options.reuse === true);
      await stage.close();
    },
  };
}

/** What the machines of a scenario must have or bear, beyond what they are made with. */
interface Wanted {
  readonly units: readonly string[];
  readonly jumps: boolean;
  /** Programs that are expected to run on. */
  readonly kept: readonly string[];
}

interface Observers {
  readonly eyes: Eyes;
  readonly etcds: Etcds;
  readonly address: Address;
  readonly kept: Kept;
}

function beginnings(stage: Stage, { eyes, etcds, address, kept }: Observers, wanted: () => Wanted): Doing {
  const name = stage.name;
  const begun = async (): Promise<Seen> => {
    eyes.begin();
    await address.begin();
    await kept.begin();
    return done();
  };
  return {
    "start-both": async () => {
      await stage.bothUp();
      await bringUnits(await stage.lab(), wanted().units);
      await letClocksJump(await stage.lab(), wanted().jumps);
      await endDataFaults(stage, etcds);
      await etcds.noteHeld();
      return await begun();
    },
    "start-one": async ({ machine }) => {
      await stage.oneUp(machine, async () => {
        await bringUnits(await stage.lab(), wanted().units);
        await etcds.noteHeld();
      });
      return await begun();
    },
    "power-on": async ({ machine }) => {
      await switchPower(name, machine, "on");
      return done();
    },
    "power-on-both": async () => {
      await both((machine) => switchPower(name, machine, "on"));
      return done();
    },
    "bring-online": async () => {
      await wholeAgain(await stage.lab());
      return done();
    },
    "restore-feed": async ({ machine }) => {
      await switchFeed(name, machine, "on");
      return done();
    },
    "restore-both-feeds": async () => {
      await both((machine) => switchFeed(name, machine, "on"));
      return done();
    },
    reboot: async ({ machine, within_ms }) => {
      address.mark();
      await runIn(await stage.lab(), machine, ["touch", "/run/before-the-reboot"]);
      await runIn(await stage.lab(), machine, ["systemctl", "reboot"], { accept: "any" });
      return await eyes.until(`${machine} has not booted again`, within_ms, () =>
        eyes.succeeds(machine, ["test", "!", "-e", "/run/before-the-reboot"]),
      );
    },
    "shut-down": async ({ machine }) => {
      address.mark();
      await switchPower(name, machine, "off");
      return done();
    },
    "shut-down-both": async () => {
      address.mark();
      await both((machine) => switchPower(name, machine, "off"));
      return done();
    },
    wait: async ({ duration }) => {
      await sleep(duration);
      return done();
    },
  };
}

/**
 * Each of these makes somebody look, `attend`: the eyes follow both machines' logs from just before it. In a moment there is no time for
 * that, and they do from just behind it.
 */
function losses(stage: Stage, moments: Moments, attend: () => Promise<void>): Doing {
  const name = stage.name;
  const losing = async (work: () => Promise<unknown>): Promise<Seen> => {
    const { isNow } = moments;
    if (!isNow) await attend();
    await work();
    if (isNow) await moments.goOn().then(attend);
    return done();
  };
  return {
    "cut-power": ({ machine }) => losing(() => switchPower(name, machine, "cut")),
    "cut-both": () => losing(() => both((machine) => switchPower(name, machine, "cut"))),
    hang: ({ machine }) => losing(() => switchPower(name, machine, "hang")),
    break: ({ machine }) => losing(() => switchPower(name, machine, "break")),
    "cut-feed": ({ machine }) => losing(() => switchFeed(name, machine, "off")),
    "cut-both-feeds": () => losing(() => both((machine) => switchFeed(name, machine, "off"))),
    flicker: ({ number, duration }) =>
      losing(() =>
        inTurns(
          number,
          duration,
          () => both((machine) => switchFeed(name, machine, "off")),
          () => both((machine) => switchFeed(name, machine, "on")),
        ),
      ),
    "cut-wire": ({ wire }) =>
      losing(async () => {
        for (const each of wiresNamed(wire)) await cutWire(name, each, undefined);
      }),
    "cut-one-way": ({ wire, machine }) =>
      losing(async () => {
        for (const each of wiresNamed(wire)) await cutWire(name, each, machine);
      }),
    "flap-wire": ({ wire, number, duration }) =>
      losing(() =>
        inTurns(
          number,
          duration,
          () => Promise.all(wiresNamed(wire).map((each) => cutWire(name, each, undefined))),
          () => Promise.all(wiresNamed(wire).map((each) => healWire(name, each, undefined))),
        ),
      ),
    "kill-unit": ({ unit, machine }) =>
      losing(async () => {
        await signalProgram(await stage.lab(), machine, unit, "SIGKILL");
      }),
    "freeze-unit": ({ unit, machine }) =>
      losing(async () => {
        await signalProgram(await stage.lab(), machine, unit, "SIGSTOP");
      }),
  };
}

/** Gone for a third of each turn, then for two thirds, and so on: an even beat would hide what depends on the phase. */
async function inTurns(
  count: number,
  total_ms: number,
  off: () => Promise<unknown>,
  on: () => Promise<unknown>,
): Promise<void> {
  const turn_ms = total_ms / count;
  for (let turn = 0; turn < count; turn += 1) {
    const gone_ms = (turn_ms * (turn % 2 === 0 ? 1 : 2)) / 3;
    await off();
    await sleep(gone_ms);
    await on();
    await sleep(turn_ms - gone_ms);
  }
}

function faults(stage: Stage): Doing {
  const name = stage.name;
  const did = async (work: Promise<void>): Promise<Seen> => {
    await work;
    return done();
  };
  return {
    "heal-wire": async ({ wire }) => {
      for (const each of wiresNamed(wire)) await healWire(name, each, undefined);
      return done();
    },
    unplug: ({ machine }) => did(cutWire(name, `${machine}:mgmt`, undefined)),
    plug: ({ machine }) => did(healWire(name, `${machine}:mgmt`, undefined)),
    "bmc-fault": ({ machine, fault }) => did(setFault(name, machine, fault, undefined)),
    "bmc-slow": ({ machine, duration }) => did(setFault(name, machine, "slow", String(duration / 1000))),
    "bmc-well": ({ machine }) => did(setFault(name, machine, "none", undefined)),
    "pdu-fault": ({ fault }) => did(setFault(name, "pdu", fault, undefined)),
    "pdu-well": () => did(setFault(name, "pdu", "none", undefined)),
    "fill-disk": ({ machine }) => did(disturbDisk(name, machine, "fill", "")),
    "free-disk": ({ machine }) => did(disturbDisk(name, machine, "free", "")),
    "break-disk": ({ machine }) => did(disturbDisk(name, machine, "read-only", "")),
    "slow-disk": async ({ machine, duration }) => {
      await disturbDisk(name, machine, "slow", String(duration));
      return await isSlow(await stage.lab(), machine, duration);
    },
    "fast-disk": ({ machine }) => did(disturbDisk(name, machine, "fast", "")),
    repair: ({ machine }) => did(switchPower(name, machine, "repair")),
    "thaw-unit": async ({ unit, machine }) => {
      await signalProgram(await stage.lab(), machine, unit, "SIGCONT");
      return done();
    },
  };
}

/** What is waited for and expected, as far as it shows without etcd; what needs etcd is in scenario-etcd.ts. */
function sights(eyes: Eyes): Doing {
  const only = async (holds: Promise<boolean>): Promise<Seen> => ({
    ok: await holds,
    seen: await eyes.power(),
  });
  return {
    "until-online": ({ within_ms }) => eyes.until("not both online", within_ms, () => eyes.bothOnline()),
    "until-inert": ({ machine, within_ms }) =>
      eyes.until(`${machine} does not wait for its peer`, within_ms, () => eyes.isInert(machine)),
    "until-lost": ({ machine, within_ms }) => eyes.sees(machine, "lost", within_ms),
    "until-proven-off": ({ machine, within_ms }) => eyes.sees(machine, "off confirmed", within_ms),
    "until-on": ({ machine, within_ms }) =>
      eyes.until(`${machine} is still off`, within_ms, () => eyes.isOn(machine)),
    "until-off": ({ machine, within_ms }) =>
      eyes.until(`${machine} is still on`, within_ms, async () => !(await eyes.isOn(machine))),
    "until-one-on": ({ within_ms }) =>
      eyes.until("both on, or both off", within_ms, async () => (await eyes.countOn()) === 1),
    "until-links": ({ links, within_ms }) =>
      eyes.until("another number of links", within_ms, async () => (await eyes.countLinks()) === links),
    "until-runs": ({ unit, machine, within_ms }) =>
      eyes.until(`${unit} is not up`, within_ms, () => eyes.runs(unit, machine)),
    "expect-online": async () => only(eyes.bothOnline()),
    "expect-inert": ({ machine }) => only(eyes.isInert(machine)),
    "expect-one-on": async () => only(eyes.countOn().then((count) => count === 1)),
    "expect-both-on": async () => only(eyes.countOn().then((count) => count === 2)),
    "expect-on": ({ machine }) => only(eyes.isOn(machine)),
    "expect-off": ({ machine }) => only(eyes.isOn(machine).then((on) => !on)),
    "expect-runs": ({ unit, machine }) => only(eyes.runs(unit, machine)),
    "expect-rests": ({ unit, machine }) => only(eyes.runs(unit, machine).then((runs) => !runs)),
    "expect-nobody-fenced": async () => {
      const asked = await eyes.fencesAsked();
      return { ok: asked.length === 0, seen: asked[0] ?? "no fence was asked for" };
    },
    "expect-fenced-once": async ({ machine }) => {
      const times = await eyes.fencesConfirmed(machine);
      return { ok: times === 1, seen: `${machine} was fenced ${times} times` };
    },
    "expect-never-fenced": async ({ machine }) => {
      const times = await eyes.fencesOf(machine);
      return { ok: times === 0, seen: `${machine} was fenced ${times} times` };
    },
    "expect-fences": async ({ number }) => {
      const times = await Promise.all(machine_names.map((name) => eyes.fencesOf(name)));
      return {
        ok: times.reduce((all, each) => all + each) <= number,
        seen: machine_names.map((name, at) => `${name} was fenced ${times[at] ?? 0} times`).join(", "),
      };
    },
  };
}
