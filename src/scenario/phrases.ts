import {
  kubernetesDeeds,
  kubernetesExpectations,
  kubernetesWaits,
  type Phrase,
} from "./phrases-kubernetes.ts";

/**
 * The language: one phrase per kind of step, with what it means. Words in capitals are slots (slots.ts). The parser, the
 * formatter, the suggestions, `duet scenario words` and docs/scenarios.md are all made from these tables.
 */

/** What is done to the machines. These may also follow `at MOMENT:`. */
export const deeds = {
  "start-both": {
    say: "start both machines",
    means: "Two machines of a site that is set up, all well, boot together.",
  },
  "start-one": {
    say: "start MACHINE",
    means: "This machine of a site that is set up boots; its peer, if not started before, has no power.",
  },
  "cut-power": {
    say: "cut the power of MACHINE",
    means: "Everything on it is dead at once, what was not synced is lost; its BMC lives and reads Off.",
  },
  "cut-both": {
    say: "cut the power of both machines",
    means: "The same for both in the same moment.",
  },
  hang: {
    say: "hang MACHINE",
    means: "It is frozen; its BMC reads On, and a graceful reset does nothing.",
  },
  break: {
    say: "break MACHINE",
    means: "Its power is cut, and it can't be powered on until it is repaired; its BMC lives and reads Off.",
  },
  repair: { say: "repair MACHINE", means: "A broken machine can be powered on again; it is off." },
  "cut-feed": { say: "cut the feed of MACHINE", means: "Machine and BMC are both dead." },
  "cut-both-feeds": {
    say: "cut the feed of both machines",
    means: "The site has no power: both machines and both BMCs are dead.",
  },
  "restore-feed": {
    say: "restore the feed of MACHINE",
    means: "The BMC returns, and with it the machine, as its power restore policy says.",
  },
  "restore-both-feeds": {
    say: "restore the feed of both machines",
    means: "The same for both in the same moment.",
  },
  flicker: {
    say: "flicker the feed of both machines NUMBER times in DURATION",
    means: "The site's power goes and comes, that often, at uneven intervals; it ends with power.",
  },
  "power-on": { say: "power on MACHINE", means: "A person presses the button of a machine that is off." },
  "power-on-both": { say: "power on both machines", means: "The same at both in the same moment." },
  "bring-online": {
    say: "bring both machines online",
    means: "A person powers on whoever is off, as often as it takes, until Pacemaker counts both as online.",
  },
  reboot: {
    say: "reboot MACHINE in good order",
    means: "An ordinary `reboot` on the machine; the step ends when it has booted again.",
  },
  "shut-down": {
    say: "shut down MACHINE in good order",
    means: "Its power button is pressed; the step ends when it is off.",
  },
  "shut-down-both": {
    say: "shut down both machines at once",
    means: "A UPS does that: both buttons are pressed in the same second.",
  },
  standby: { say: "put MACHINE on standby", means: "`duet standby`: it stays a member and runs nothing." },
  unstandby: { say: "take MACHINE off standby", means: "`duet unstandby`." },
  "cut-wire": { say: "cut WIRE", means: "Nothing passes there any more, in either direction." },
  "heal-wire": { say: "heal WIRE", means: "It is whole again, in both directions." },
  "cut-one-way": { say: "cut WIRE one way from MACHINE", means: "What this machine sends there is lost." },
  "flap-wire": {
    say: "flap WIRE NUMBER times in DURATION",
    means: "It goes and comes, that often, at uneven intervals; it ends whole.",
  },
  unplug: {
    say: "unplug MACHINE from the management wire",
    means: "It reaches no BMC; its peer and the operator still reach its BMC.",
  },
  plug: { say: "plug MACHINE into the management wire", means: "It reaches the BMCs again." },
  "bmc-fault": { say: "the BMC of MACHINE FAULT", means: "The BMC misbehaves from now on." },
  "bmc-slow": {
    say: "the BMC of MACHINE is slow by DURATION",
    means: "Each request is worked on and answered only that much later.",
  },
  "bmc-tag": { say: "the BMC of MACHINE holds TAG", means: "Somebody changed its asset tag." },
  "bmc-well": {
    say: "the BMC of MACHINE is well again",
    means: "All its faults end; its tag stays as it is.",
  },
  "pdu-fault": { say: "the PDU FAULT", means: "The power distribution unit misbehaves from now on." },
  "pdu-well": { say: "the PDU is well again", means: "All its faults end." },
  "kill-unit": { say: "kill UNIT on MACHINE", means: "SIGKILL to the program; nobody asked it to stop." },
  "freeze-unit": { say: "freeze UNIT on MACHINE", means: "SIGSTOP: the program is there and does nothing." },
  "thaw-unit": { say: "thaw UNIT on MACHINE", means: "SIGCONT: it goes on." },
  "unit-wont-start": {
    say: "let UNIT on MACHINE fail to start",
    means: "From now on each start of it fails, until it is mended.",
  },
  "unit-wont-stop": {
    say: "let UNIT on MACHINE fail to stop",
    means: "From now on each stop of it fails, until it is mended.",
  },
  "mend-unit": {
    say: "mend UNIT on MACHINE",
    means: "It starts and stops as it should; where it could not be stopped, Pacemaker is told to try again.",
  },
  "fill-disk": { say: "fill the disk of MACHINE", means: "No block is left on it." },
  "free-disk": { say: "free the disk of MACHINE", means: "There is room again." },
  "break-disk": {
    say: "let the disk of MACHINE turn read-only",
    means: "Its file system finds an error and takes no more writes, until the machine has been off.",
  },
  "slow-disk": {
    say: "slow the disk of MACHINE by DURATION",
    means: "Each write, so each sync, takes longer.",
  },
  "fast-disk": { say: "let the disk of MACHINE be fast again", means: "Writes take what they take." },
  "corrupt-log": {
    say: "corrupt the log of MACHINE",
    means: "A bit of a synced record in etcd's WAL on this machine flips.",
  },
  "wipe-data": {
    say: "wipe the data of MACHINE",
    means: "etcd's data and duet's own file beside it are gone.",
  },
  "raise-nospace": {
    say: "use up the space of etcd",
    means: "The store reaches its quota: etcd raises NOSPACE and takes no more writes.",
  },
  "free-space": {
    say: "free the space of etcd",
    means:
      "As an admin does it: what filled the store is deleted, its quota is as before, the alarm is disarmed. etcd takes writes again.",
  },
  "jump-clock": {
    say: "jump the clock of MACHINE by DURATION",
    means: "Its wall clock is ahead by that much from now on.",
  },
  "interrupt-setup": {
    say: "interrupt the setup of MACHINE",
    means: "`duet setup` is run anew on it and killed half-way.",
  },
  "run-setup": {
    say: "run the setup of MACHINE",
    means: "`duet setup` is run anew on it, and comes to its end.",
  },
  "rotate-credentials": {
    say: "rotate the BMC credentials of MACHINE",
    means: "`duet credentials rotate` for the BMC of this machine.",
  },
  "clients-write": {
    say: "clients write",
    means:
      "From now on at least 128 writes are in flight at any time while etcd serves, and both endpoints are read linearizably.",
  },
  "clients-rate": {
    say: "clients write NUMBER per second",
    means: "The same at a steady rate.",
  },
  ...kubernetesDeeds,
  "stop-clients": { say: "stop clients", means: "No new operation begins; open ones stay open." },
  "admin-down": {
    say: "the admin says that MACHINE is down",
    means: "`duet confirm-peer-down` on the other machine, accepting no loss.",
  },
  "admin-down-loss": {
    say: "the admin says that MACHINE is down, accepting the loss of epoch EPOCH",
    means: "The same with `--accept-data-loss`.",
  },
  "admin-both-down": {
    say: "the admin says on both machines at once that the other is down",
    means: "Two admins, two terminals, the same second.",
  },
  "admin-chooses": {
    say: "the admin chooses the data of MACHINE",
    means: "`duet choose-data`: the other's data is moved aside.",
  },
  "admin-chooses-loss": {
    say: "the admin chooses the data of MACHINE and accepts the loss of epoch EPOCH",
    means: "The same with `--accept-data-loss`: of what was given up, where the other is away.",
  },
  "admin-unblocks": {
    say: "the admin grants quorum to MACHINE by hand",
    means: "A raw `pcs quorum unblock`, past duet's rules.",
  },
  "admin-confirms": {
    say: "the admin confirms the fence of MACHINE by hand",
    means: "A raw `stonith_admin --confirm` on the other machine, past duet's rules.",
  },
  wait: { say: "wait DURATION", means: "Time passes." },
} as const satisfies Record<string, Phrase>;

/** What is waited for. Each may end with `within DURATION`. */
export const waits = {
  "until-1+1": { say: "until 1+1", means: "Two voters, both full." },
  "until-serves": {
    say: "until MACHINE serves",
    means:
      "A linearizable write through it is acknowledged. A limit that the line gives counts from when the loss was seen, if a step has waited for that since somebody was taken away.",
  },
  "until-inert": {
    say: "until MACHINE is inert",
    means: "It is up without quorum and waits for its peer: no CRI-O, kubelet, etcd or fencing.",
  },
  "until-refuses": {
    say: "until MACHINE refuses and says TEXT",
    means: "It does not serve, and its status says why in these words.",
  },
  "until-learner": { say: "until MACHINE is a learner", means: "It follows, and does not vote yet." },
  "until-not-full": {
    say: "until MACHINE votes and is not full",
    means: "By its own log it is a voter, and nothing proves yet that it holds everything.",
  },
  "until-surrenders": {
    say: "until MACHINE surrenders",
    means: "Its etcd is masked, and it has said on disk and to its peer that the peer may go on alone.",
  },
  "until-runs": { say: "until UNIT runs on MACHINE", means: "The program is up." },
  "until-online": {
    say: "until both machines are online",
    means: "Pacemaker counts both as online, with quorum.",
  },
  "until-lost": {
    say: "until MACHINE is seen lost",
    means: "Its peer's cluster no longer has it as a member.",
  },
  "until-proven-off": {
    say: "until MACHINE is proven off",
    means: "Its peer asked for a fence, and the fence device confirmed Off.",
  },
  "until-on": { say: "until MACHINE is on", means: "It has power." },
  "until-off": { say: "until MACHINE is off", means: "It has no power." },
  "until-one-on": { say: "until exactly one machine is on", means: "One has power, the other has none." },
  "until-links": {
    say: "until the machines are joined by LINKS",
    means: "So many of Corosync's links are connected.",
  },
  "until-writes-fail": {
    say: "until writes fail",
    means:
      "A client's write failed or was given up at its deadline, since a step last took something away or used up etcd's space.",
  },
  "until-write-errors": {
    say: "until writes through MACHINE fail with errors",
    means:
      "Its etcd has answered a client's write with an error, since a step last took something away or used up etcd's space: no connection that broke, and no client that gave up. Without a leader etcd does so after 7 s.",
  },
  "until-status-says": {
    say: "until the status says TEXT",
    means: "`duet status` at the operator's seat has these words.",
  },
  ...kubernetesWaits,
} as const satisfies Record<string, Phrase>;

/** What must be so now. */
export const expectations = {
  "expect-1+1": { say: "expect 1+1", means: "Two voters, both full." },
  "expect-1+0": { say: "expect 1+0", means: "One voter serves alone; the other machine does not serve." },
  "expect-serves": {
    say: "expect MACHINE serves",
    means: "A linearizable write through it is acknowledged.",
  },
  "expect-none-serves": { say: "expect nobody serves", means: "No write is acknowledged by anyone." },
  "expect-refuses": {
    say: "expect MACHINE refuses and says TEXT",
    means: "It does not serve, and its status says why in these words.",
  },
  "expect-inert": {
    say: "expect MACHINE is inert",
    means: "It is up without quorum and waits for its peer: no CRI-O, kubelet, etcd or fencing.",
  },
  "expect-nothing-lost": {
    say: "expect nothing lost",
    means:
      "Every acknowledged write can be read, and the clients' history is linearizable. In the lab also: 128 writes were in flight, and each voter has answered linearizable reads.",
  },
  "expect-bounded-writes": {
    say: "expect each write to end in DURATION",
    means: "Acknowledged or failed: no client hangs for longer.",
  },
  "expect-stale-reads": {
    say: "expect serializable reads to go on",
    means:
      "Each machine that lives answers one that is asked for now, also where it can't write; in 5 s, as its etcd may just be started anew.",
  },
  "expect-stale-gap": {
    say: "expect no gap in serializable reads of MACHINE over DURATION",
    means:
      "Since the clients began, its answers to them were never further apart. The restart of etcd in a takeover is such a gap, and a boot is one.",
  },
  "expect-gap": {
    say: "expect no gap in writes over DURATION",
    means: "Since the clients began, acknowledged writes were never further apart.",
  },
  "expect-revisions": {
    say: "expect revisions never went back",
    means:
      "Whatever loss was accepted: no client was answered at a lower revision than had been seen before, no write was given one again, and etcd is not below the highest now. The clients stop for it.",
  },
  "expect-kept": {
    say: "expect the data of MACHINE was kept",
    means:
      "Since the scenario began, and since an admin last gave data away, its etcd's data was moved aside and is there: every file, each as its hash says.",
  },
  ...kubernetesExpectations,
  "expect-nobody-fenced": {
    say: "expect nobody was fenced",
    means: "Since the scenario began nobody asked for a fence.",
  },
  "expect-fenced-once": {
    say: "expect MACHINE was fenced once",
    means: "Since the scenario began a fence of it was confirmed, and no second one.",
  },
  "expect-never-fenced": {
    say: "expect MACHINE was never fenced",
    means:
      "Since the scenario began no fence of it was confirmed, and its BMC did not switch it off while it ran.",
  },
  "expect-fences": {
    say: "expect at most NUMBER fences",
    means:
      "Since the scenario began, of both machines together: no more were confirmed, and no more often did a BMC switch off a machine that ran.",
  },
  "expect-no-takeover": {
    say: "expect nobody took over",
    means:
      "Both machines hold the epoch, of the same owner, that they held when the scenario began: each takeover begins a new one.",
  },
  "expect-same-members": {
    say: "expect both machines are the members that they were",
    means:
      "Each has the member id that it had at the story's first `until 1+1`: nobody left etcd's cluster and was copied anew.",
  },
  "expect-one-on": { say: "expect exactly one machine is on", means: "One has power, the other has none." },
  "expect-both-on": { say: "expect both machines are on", means: "Both have power." },
  "expect-on": { say: "expect MACHINE is on", means: "It has power." },
  "expect-off": { say: "expect MACHINE is off", means: "It has no power." },
  "expect-online": {
    say: "expect both machines are online",
    means: "Pacemaker counts both as online, with quorum.",
  },
  "expect-runs": { say: "expect UNIT runs on MACHINE", means: "The program is up." },
  "expect-rests": { say: "expect UNIT does not run on MACHINE", means: "The program is not there." },
  "expect-unrestarted": {
    say: "expect UNIT was not restarted on MACHINE",
    means: "It is the one that ran before the first step that took something away.",
  },
  "expect-admin-refused": {
    say: "expect the admin was refused with CODE",
    means: "What an admin typed last ended with this code, and was not taken.",
  },
  "expect-status-says": {
    say: "expect the status says TEXT",
    means: "`duet status` at the operator's seat has these words.",
  },
} as const satisfies Record<string, Phrase>;

export const phrases = { ...deeds, ...waits, ...expectations } as const;
export type Phrases = typeof phrases;
export type Kind = keyof Phrases;
export type DeedKind = keyof typeof deeds;

export const isDeed = (kind: string): kind is DeedKind => Object.hasOwn(deeds, kind);
export const isWait = (kind: string): kind is keyof typeof waits => Object.hasOwn(waits, kind);
export const isExpectation = (kind: string): kind is keyof typeof expectations =>
  Object.hasOwn(expectations, kind);

/** `expect serializable reads to go on`: so long a machine that lives has for an answer, however busy its host is. */
export const stale_ms_max = 5_000;

/** A wait without `within` gives up after this: longer than the slowest BMC and boot together, short enough for CI. */
export const within_ms_default = 300_000;
