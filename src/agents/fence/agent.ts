import { done, type Effects, failed, type Outcome } from "../../act/effects.ts";
import { fencePeer } from "../../act/fence.ts";
import { runSteps } from "../../act/steps.ts";
import type { Times } from "../../act/times.ts";
import { DuetError } from "../../base/problem.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import type { Recorder } from "../../record/recorder.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import { fencePolicy } from "../../render/policy.ts";
import { bmcEffects, lookAtPeer, silentWays } from "../hands/bmc.ts";
import type { Systems } from "../hands/systems.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import { type BmcFiles, Ways } from "../hands/ways.ts";
import { actions, help, metadata } from "./metadata.ts";
import { type FenceOptions, type Parsed, parseArguments, parseInput } from "./options.ts";

export interface FenceHands {
  readonly effects: Effects;
  readonly recorder: Pick<Recorder, "event" | "step" | "stepsEnd">;
}

/** What the agent needs of the machine that it runs on. */
export interface FenceMachine {
  readonly me: () => Promise<string>;
  /** Where the site file is if no option says so. */
  readonly siteFile: string;
  /** What is known of the BMCs from before. */
  readonly systems?: Systems;
  /** Where is kept what is to be remembered of them. */
  readonly files?: BmcFiles;
  readonly version: string;
  readonly readInput: () => Promise<string>;
  /** Needed for off alone: to read a power state takes nothing but a BMC. */
  readonly hands: (ways: Ways) => Promise<FenceHands>;
  readonly times: (ways: Ways) => Promise<Times>;
  /** The peer is off: the takeover is to be looked at now. */
  readonly wake: () => void;
  /** Stdout, which people read, and stderr, which Pacemaker logs. */
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** As the interface of fence agents has them; everything that is not known to be done is 1. */
const status = { done: 0, failed: 1, off: 2 } as const;

const again_ms = 500;
const calm_ms = 3_000;
/** To start, and to say it. */
const around_monitor_s = 3;
const monitor_ms_max = (fencePolicy.monitor_timeout_s.value - around_monitor_s) * 1000;

export async function fenceAgent(argv: readonly string[], machine: FenceMachine): Promise<number> {
  const parsed: Parsed = argv.length > 0 ? parseArguments(argv) : parseInput(await machine.readInput());
  if (!parsed.ok) return refuse(machine, parsed.why);
  const { options } = parsed;
  switch (options.action) {
    case "metadata":
      machine.say(metadata());
      return status.done;
    case "help":
      machine.say(help());
      return status.done;
    case "version":
      machine.say(`fence_duet of duet ${machine.version}\n`);
      return status.done;
    case undefined:
      // Others take this for reboot. A command that switches a machine off should be meant.
      return refuse(machine, `no action was named: one of ${actions.join(", ")}`);
    default:
      return await act(options.action, options, machine);
  }
}

function refuse({ complain }: FenceMachine, why: string): number {
  complain(`fence_duet: ${why}\n`);
  return status.failed;
}

const switching: ReadonlySet<string> = new Set(["off", "reboot", "on"]);

async function act(action: string, options: FenceOptions, machine: FenceMachine): Promise<number> {
  try {
    const ways = await waysFor(options, machine);
    if (typeof ways === "string") return refuse(machine, ways);
    // Not before a machine is switched: a file of the one way that can't be read must not keep the other from doing it.
    if (!switching.has(action)) await ways.check();
    return await perform(action, ways, machine);
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    for (const { code, where, what, fix } of error.problems)
      machine.complain(`fence_duet: ${code}: ${where}: ${what}: ${fix}\n`);
    return status.failed;
  }
}

/** To the BMC of the one machine that may be meant; or why that is none. */
async function waysFor(options: FenceOptions, machine: FenceMachine): Promise<Ways | string> {
  const { target, credentialsFile, siteFile = machine.siteFile } = options;
  const me = await machine.me();
  const site = await loadSite(siteFile);
  const peer = site.machines.find(({ name }) => name !== me);
  if (peer === undefined || site.machines.length !== 2)
    return `${siteFile} does not name ${me} and one other`;
  if (target === me) return `${me} does not fence itself`;
  if (target !== undefined && target !== peer.name) return `${target} is no machine of this site`;
  const machines = site.machines.map((each) =>
    each === peer && credentialsFile !== undefined
      ? { ...each, bmc: { ...each.bmc, credentials: { file: credentialsFile } } }
      : each,
  );
  const { systems, files } = machine;
  return new Ways({
    site: { ...site, machines },
    me,
    folder: siteFolder(siteFile),
    ...(systems === undefined ? {} : { systems }),
    ...(files === undefined ? {} : { files }),
  });
}

async function perform(action: string, ways: Ways, machine: FenceMachine): Promise<number> {
  const { name } = ways.theirs;
  switch (action) {
    case "off":
    case "reboot":
      return await off(ways, machine);
    case "on":
      return report(machine, await on(ways), `Success: ${name} is on\n`);
    case "status":
      return await tellPower(ways, machine);
    case "monitor":
    case "list":
      return await monitor(action, ways, machine);
    case "validate-all":
      machine.say("Success: options, site file and credentials can be used\n");
      return status.done;
    default:
      return refuse(machine, `there is no action ${action}: one of ${actions.join(", ")}`);
  }
}

function report(machine: FenceMachine, outcome: Outcome, success: string): number {
  if (!outcome.ok) return refuse(machine, outcome.failure.said);
  machine.say(success);
  return status.done;
}

async function off(ways: Ways, machine: FenceMachine): Promise<number> {
  const { effects, recorder } = await machine.hands(ways);
  // Since this process began: who asked had to wait for that.
  recorder.event("fence asked", { of: ways.theirs.name, ago_ms: Math.round(performance.now()) });
  const end = await runSteps(fencePeer(effects, await machine.times(ways), machine.wake), recorder.step);
  recorder.stepsEnd(end);
  if (!end.done) {
    recorder.event("fence failed", { of: ways.theirs.name, why: end.why });
    machine.complain(`fence_duet: ${ways.theirs.name} was not fenced: ${end.why}\n`);
    // Pacemaker asks again at once and for ever, also where the answer stays no: without this the BMCs would be asked every second.
    await effects.pause(calm_ms);
    return status.failed;
  }
  machine.say(`Success: ${ways.theirs.name} is off\n`);
  return status.done;
}

/** The command, and then On read: a BMC that takes it may still do nothing. */
async function on(ways: Ways): Promise<Outcome> {
  const effect_ms = bmcEffect_ms(ways.site);
  const end_ms = now_ms() + ways.site.timeouts.fence_ms;
  const taken = await bmcEffects(ways).commandOn(effect_ms);
  for (;;) {
    // PoweringOn is not yet On.
    const { power } = await lookAtPeer(ways, effect_ms);
    if (power === "On") return done;
    if (now_ms() >= end_ms)
      return taken.ok ? failed("failed", `${ways.theirs.name} does not read On`) : taken;
    await sleep(again_ms);
  }
}

async function tellPower(ways: Ways, machine: FenceMachine): Promise<number> {
  const power = await bmcEffects(ways).peerPower(bmcEffect_ms(ways.site));
  if (!power.ok) return refuse(machine, power.failure.said);
  machine.say(`Status: ${power.value.toUpperCase()}\n`);
  return power.value === "off" ? status.off : status.done;
}

/** Every way to the peer must answer: one that is found dead when it is needed is none. */
async function monitor(action: "monitor" | "list", ways: Ways, machine: FenceMachine): Promise<number> {
  const silent = await silentWays(ways, Math.min(bmcEffect_ms(ways.site), monitor_ms_max));
  for (const why of silent) machine.complain(`fence_duet: ${why}\n`);
  if (silent.length > 0) return status.failed;
  if (action === "list") machine.say(`${ways.theirs.name},\n`);
  return status.done;
}
