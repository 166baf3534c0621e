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
  },
  { number: 12, failure: "etcd crashes on one machine, and the other forces a new cluster" },
  {
    number: 13,
    failure: "waiting for the peer is reported as success: a dead etcd passes for a running one",
  },
  { number: 14, failure: "divergence is looked for in the cluster id, which force-new-cluster keeps" },
  {
    number: 15,
    failure: "64-bit ids are read as doubles: the wrong member is removed",
    proofs: [
      proof("src/facts/etcd-oracle.test.ts", "etcd's own packages read the same in 60 random histories"),
    ],
  },
  {
    number: 16,
    failure: "an address is compared as a pattern: 10.0.0.1 matches 10.0.0.10",
    proofs: [
      proof(
        "src/site/read.test.ts",
        "addresses are compared exactly: 10.0.0.1 is not 10.0.0.10, node1 is not node10",
      ),
    ],
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
  },
  {
    number: 21,
    failure: "Corosync starts before the network is final: reboot loop",
    later: "the units wait for the network (`src/render/machine.ts`); no test moves an address yet",
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
    ],
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
  },
  {
    number: 24,
    failure: "no failure-timeout: a resource stays blocked until somebody cleans up",
    proofs: [proof("scenarios/kubelet-failure.txt", "Kubelet failure")],
  },
  {
    number: 25,
    failure: "each renewal of a certificate costs a leave and a full copy",
    proofs: [
      proof(
        "src/agents/certificates.test.ts",
        "renewed years before the end, with the same key and authority",
      ),
    ],
    later: "a change of the authority: not yet",
  },
  {
    number: 26,
    failure: "copies of data moved aside have no hash; a restore deletes before it looks",
    proofs: [
      proof(
        "src/facts/commit-record.test.ts",
        "old segments are linked, the newest is copied, and a changed copy is noticed",
      ),
    ],
    later: "restore: not yet",
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
    proofs: [proof("sim/bmc.test.ts", "every fault of the lab's BMC does here what it does there")],
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
  },
  {
    number: 31,
    failure: "a validator reports success and has fenced nobody",
    proofs: [
      proof(
        "src/agents/fence/measure.test.ts",
        "a real Off is measured until Off is read, and one that does not happen is told",
      ),
    ],
  },
  { number: 32, failure: "equal delays, or a delay shorter than a fence: both machines off" },
  {
    number: 33,
    failure: "the fenced machine boots, sees nobody, and fences back",
    proofs: [
      proof("src/decide/tables.test.ts", "a machine that has just booted fences nobody who may be on"),
    ],
  },
  { number: 34, failure: "machine and BMC lose power together: Off can't be proven, and nobody says so" },
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
  },
  {
    number: 36,
    failure: "the bootstrap member is still in the list: three members, two needed",
    later: "there is no installer yet",
  },
  {
    number: 37,
    failure: "IPv6 without brackets, names that are too long, host name against full name",
    proofs: [
      proof(
        "src/render/render.test.ts",
        "IPv6 BMC addresses keep their brackets: the stock agent puts them into a URL as they are",
      ),
    ],
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
  },
  {
    number: 39,
    failure: "a status counts as reported before its write succeeded",
    later: "not yet",
  },
  { number: 40, failure: "a replaced machine needs the same name and two dozen commands", later: "not yet" },
];

export const pitfalls: readonly Pitfall[] = [...deciding, ...machine, ...fencing, ...install];
