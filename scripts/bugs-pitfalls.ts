/** A test by its file and its title: both are looked for. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** What went wrong for others: the regression list, in a few words each. The numbers are its own. */
export interface Pitfall {
  readonly number: number;
  readonly failure: string;
  /** Besides the plants, which name their numbers themselves. */
  readonly proofs?: readonly Proof[];
  /** The rule, the step or the file that stops it. Where a plant stages it, that says it. */
  readonly stoppedBy?: string;
  /** What is still owed. */
  readonly later?: string;
}

const proof = (file: string, title: string): Proof => ({ file, title });

const deciding: readonly Pitfall[] = [
  { number: 1, failure: "both machines claim to force a new cluster, both step back: nobody serves" },
  {
    number: 2,
    failure: "a new cluster is forced from a member that had removed itself: etcd panics at every start",
  },
  { number: 3, failure: "a new cluster is forced from a learner's data: the same panic" },
  { number: 4, failure: "an old etcd keeps a learner through force-new-cluster: a ghost in the member list" },
  { number: 5, failure: "plain force-new-cluster drops acknowledged writes after a cut wire" },
  {
    number: 6,
    failure: "newest by a file that holds the higher index of both members: a learner passes for its leader",
  },
  { number: 7, failure: "two members remove themselves at the same time" },
  { number: 8, failure: "the only voter is started as a learner: two learners, and nobody to learn from" },
  { number: 9, failure: "the flag that says who may join is left stale: the joiner waits for ever" },
  {
    number: 10,
    failure: "an action waits for something that only another action of the peer can do: deadlock",
  },
  {
    number: 11,
    failure: "a resource counted as both active and stopping in a fast restart: the start is refused",
    later: "nothing here counts instances; no test restarts one faster than Pacemaker looks",
    stoppedBy:
      "nothing in duet counts instances; a start and a stop of ocf:duet:etcd only note what is wished, and the one-shot goes by the last",
  },
  { number: 12, failure: "etcd crashes on one machine, and the other forces a new cluster" },
  {
    number: 13,
    failure: "waiting for the peer is reported as success: a dead etcd passes for a running one",
    proofs: [
      proof(
        "src/agents/etcd/cared.test.ts",
        "a dead etcd is cared for while somebody works, and not for ever",
      ),
    ],
  },
  { number: 14, failure: "divergence is looked for in the cluster id, which force-new-cluster keeps" },
  {
    number: 15,
    failure: "64-bit ids are read as doubles: the wrong member is removed",
    proofs: [
      proof("src/facts/etcd-oracle.test.ts", "etcd's own packages read the same in 60 random histories"),
    ],
    stoppedBy: "ids are BigInt or text, from the log to the request (`src/facts`, `src/machine/etcd`)",
  },
  {
    number: 16,
    failure: "an address is compared as a pattern: 10.0.0.1 matches 10.0.0.10",
    proofs: [
      proof(
        "src/site/read.test.ts",
        "addresses are compared exactly: 10.0.0.1 is not 10.0.0.10, node1 is not node10",
      ),
      proof(
        "src/agents/wait-links.test.ts",
        "addresses are compared whole: one that begins like another is not there",
      ),
    ],
    stoppedBy: "addresses are compared in their canonical form, whole (`src/site/address.ts`)",
  },
];

const machine: readonly Pitfall[] = [
  {
    number: 17,
    failure: "a monitor needs a new process in the container and hangs on slow storage",
    proofs: [
      proof(
        "src/agents/etcd/agent.test.ts",
        "a monitor wakes, and shows a promoted etcd that nobody cares for as degraded",
      ),
    ],
    stoppedBy:
      "the monitor looks at the port in /proc and asks no etcd, and no process is begun in a container (`src/machine/ports.ts`)",
  },
  {
    number: 18,
    failure: "a bare `sync` hangs on somebody else's dead mount",
    proofs: [
      proof(
        "src/agents/setup/sync.test.ts",
        "only the file systems that hold duet's own folders are synced, and never all that is mounted",
      ),
    ],
    later: "no test has a dead mount",
    stoppedBy: "`src/agents/setup/sync.ts`: each of duet's own folders by itself",
  },
  {
    number: 19,
    failure: "the old process still holds the port at the start of the new one",
    proofs: [
      proof(
        "src/agents/hands/unit.test.ts",
        "a masked unit, and a port that another process holds, are refused before anything is tried",
      ),
      proof(
        "lab/etcd-unit.lab.test.ts",
        "what another process holds is told, and its port is not taken for etcd's",
      ),
    ],
    stoppedBy:
      "the start of etcd is refused while another process holds its port (`src/agents/hands/unit.ts`)",
  },
  {
    number: 20,
    failure: "etcd outside the kubelet has lost its protection from the OOM killer",
    proofs: [
      proof(
        "src/render/etcd.test.ts",
        "etcd is the last that the kernel kills for memory, and a stop does not wait for a leader",
      ),
    ],
    later: "no test lets a machine run out of memory: those of the lab share the box's",
    stoppedBy: "`OOMScoreAdjust=` of duet-etcd.service (`src/render/etcd.ts`)",
  },
  {
    number: 21,
    failure: "Corosync starts before the network is final: reboot loop",
    later: "no test moves an address while a machine boots",
    proofs: [
      proof(
        "src/agents/wait-links.test.ts",
        "addresses are compared whole: one that begins like another is not there",
      ),
    ],
    stoppedBy: "Corosync's unit waits for the addresses that it binds to (`src/agents/wait-links.ts`)",
  },
  {
    number: 22,
    failure: "a clean reboot races the token's time-out and ends in a fence",
    proofs: [
      proof(
        "sim/pacemaker/pacemaker.test.ts",
        "an orderly shutdown stops the resource first, and nobody is fenced for it",
      ),
      proof("lab/machines.lab.test.ts", "an orderly power-off and a reboot are no failure: nobody is fenced"),
      proof("scenarios/reboot-leader.txt", "The leader reboots in good order under load"),
    ],
    stoppedBy: "R-LEAVE, and the order of Pacemaker before the network at a shutdown",
  },
  {
    number: 23,
    failure: "a kubelet that fails stops etcd by an ordering constraint",
    proofs: [
      proof(
        "src/render/services.test.ts",
        "nothing ties a service to etcd, and where it is missing it is never started",
      ),
      proof(
        "lab/setup.lab.test.ts",
        "a service that is installed later is Pacemaker's after the next setup, and its failure is not etcd's",
      ),
    ],
    stoppedBy: "no order and no place between the kubelet and etcd (`src/render/services.ts`)",
  },
  {
    number: 24,
    failure: "no failure-timeout: a resource stays blocked until somebody cleans up",
    proofs: [proof("scenarios/kubelet-failure.txt", "Kubelet failure")],
    stoppedBy: "`failure-timeout` for every resource (`src/render/policy.ts`)",
  },
  {
    number: 25,
    failure: "each renewal of a certificate costs a leave and a full copy",
    proofs: [
      proof(
        "src/agents/certificates.test.ts",
        "renewed years before the end, with the same key and authority",
      ),
      proof("lab/etcd-unit.lab.test.ts", "a renewed certificate is used at once, with no restart"),
    ],
    later: "a change of the authority: not yet",
    stoppedBy: "etcd reads its certificate anew at each connection: a renewal is a file that is replaced",
  },
  {
    number: 26,
    failure: "copies of data moved aside have no hash; a restore deletes before it looks",
    proofs: [
      proof(
        "src/facts/commit-record.test.ts",
        "old segments are linked, the newest is copied, and a changed copy is noticed",
      ),
      proof("scenarios/corrupt-log.txt", "expect the data of node2 was kept"),
    ],
    later: "a restore is done by hand, after docs/restore.md: no command stages it",
    stoppedBy:
      "`src/facts/keep.ts`: what is moved aside gets its hashes, and is pruned only at 1+1; docs/restore.md looks at them before anything is taken away",
  },
];

const fencing: readonly Pitfall[] = [
  {
    number: 27,
    failure:
      "a fence agent without a deadline, that ignores the status, takes silence for Off or any System it finds",
    proofs: [
      proof("src/redfish/client.test.ts", "among several Systems none is taken by chance; a named one is"),
      proof("src/redfish/client.test.ts", "202 is not taken for done"),
    ],
  },
  {
    number: 28,
    failure: "BMCs that shut down gently, that answer before it is done, that are slow, or full of sessions",
    proofs: [
      proof("sim/bmc.test.ts", "every fault of the lab's BMC does here what it does there"),
      proof(
        "src/agents/fence/agent.test.ts",
        "a BMC that says yes and does nothing, or hangs, or refuses, makes no success",
      ),
      proof(
        "src/agents/fence/agent.test.ts",
        "a BMC that makes a graceful shutdown of it, with a machine that hangs",
      ),
      proof("src/agents/fence/agent.test.ts", "a slow BMC is waited for"),
      proof("scenarios/bmc-lies.txt", "A BMC that lies"),
    ],
    later: "a BMC whose sessions are used up is staged by nothing",
  },
  {
    number: 29,
    failure:
      "credentials in arguments, logs and readable files; a password with `$` or a quote breaks the command",
    proofs: [
      proof(
        "src/machine/credentials.test.ts",
        "a password is taken as it is, whatever a shell would make of it",
      ),
      proof("src/site/read.property.test.ts", "a password in any place of the file is never repeated"),
      proof(
        "lab/machines.lab.test.ts",
        "passwords are in root's own files on the machines, and nowhere else",
      ),
    ],
    stoppedBy:
      "a secret is a type that prints `***`; credentials are files of root's own, read at each use and put into no argument",
  },
  {
    number: 30,
    failure: "a rotated credential switches fencing off, and nobody is told",
    proofs: [
      proof(
        "src/agents/credentials/rotate.test.ts",
        "duet changes the password: both machines prove it, and neither is without fencing for a moment",
      ),
      proof(
        "src/agents/status/proof.test.ts",
        "a test that failed is shown with its time, its page and what to do, and is no 0",
      ),
    ],
    stoppedBy:
      "the tests of fencing by a timer, whose age and failure the status shows; `duet credentials rotate` proves both machines before the old one goes",
  },
  {
    number: 31,
    failure: "a validator reports success and has fenced nobody",
    proofs: [
      proof(
        "src/agents/fence/measure.test.ts",
        "a real Off is measured until Off is read, and one that does not happen is told",
      ),
      proof("lab/fence-test.lab.test.ts", "for real: only with consent, then Off is read and 1+1 is back"),
    ],
    stoppedBy: "`duet fence-test --disruptive` is a success when Off was read, and 1+1 is back",
  },
  { number: 32, failure: "equal delays, or a delay shorter than a fence: both machines off" },
  {
    number: 33,
    failure: "the fenced machine boots, sees nobody, and fences back",
    proofs: [
      proof("src/decide/tables.test.ts", "a machine that has just booted fences nobody who may be on"),
    ],
  },
  {
    number: 34,
    failure: "machine and BMC lose power together: Off can't be proven, and nobody says so",
    proofs: [proof("scenarios/feed-lost-no-pdu.txt", "until node1 refuses and says")],
  },
];

const install: readonly Pitfall[] = [
  {
    number: 35,
    failure: "setup with one machine there, twice, or cut off half-way",
    proofs: [
      proof(
        "lab/own-site.lab.test.ts",
        "duet setup a second time changes nothing; a changed site is loaded by it",
      ),
      proof(
        "lab/setup.lab.test.ts",
        "cut off after any of its steps, setup is run again and makes a whole site",
      ),
      proof(
        "lab/setup.lab.test.ts",
        "while its peer is away setup waits and changes nothing, and goes on when it is back",
      ),
    ],
    stoppedBy:
      "each step of setup can be repeated, and none makes a site smaller (`src/agents/setup.ts`, DUET-E-SETUP-SHRINK)",
  },
  {
    number: 36,
    failure: "the bootstrap member is still in the list: three members, two needed",
    proofs: [
      proof(
        "lab/setup.lab.test.ts",
        "cut off after any of its steps, setup is run again and makes a whole site",
      ),
    ],
    stoppedBy:
      "there is no bootstrap machine: setup ends at two full voters, and the list has two members (`src/agents/setup/ready.ts`)",
  },
  {
    number: 37,
    failure: "IPv6 without brackets, names that are too long, host name against full name",
    proofs: [
      proof(
        "src/render/render.test.ts",
        "IPv6 BMC addresses keep their brackets: the stock agent puts them into a URL as they are",
      ),
      proof("lab/ipv6.lab.test.ts", "two machines on IPv6 only form a cluster on both links"),
      proof("src/site/read.test.ts", "a name over 63 characters"),
      proof("src/site/read.test.ts", "a name with a dot"),
    ],
    stoppedBy: "`src/site/rules.ts` and the forms of names and addresses; a name with a dot is refused",
  },
  {
    number: 38,
    failure: "install accepts what day 2 refuses: a BMC's address without a port",
    proofs: [
      proof(
        "src/site/address.test.ts",
        "a service's address is read in every form, with the port or without",
      ),
    ],
    stoppedBy:
      "one reader of the site file for install and day 2 (`src/site/read.ts`); a BMC's trust has a default",
  },
  {
    number: 39,
    failure: "a status counts as reported before its write succeeded",
    proofs: [
      proof(
        "src/agents/status/said.test.ts",
        "the peer is told once, again when it is news, and a Pacemaker that is down troubles nobody",
      ),
    ],
    stoppedBy: "what was said is noted after the write, not before (`src/agents/status/publish.ts`)",
  },
  {
    number: 40,
    failure: "a replaced machine needs the same name and two dozen commands",
    later:
      "not yet: a replaced machine gets the same name and the site's files by hand, and no command does it",
  },
];

export const pitfalls: readonly Pitfall[] = [...deciding, ...machine, ...fencing, ...install];
