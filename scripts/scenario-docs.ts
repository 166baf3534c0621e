import { join } from "node:path";
import { replaceSynced } from "../src/machine/files.ts";
import { within_ms_default } from "../src/scenario/phrases.ts";
import { type Word, words } from "../src/scenario/words.ts";
import { isCalledBare } from "./no-words.ts";
import { scenarioFiles } from "./scenario-files.ts";
import { checkout } from "./tree.ts";

/** docs/scenarios.md, made from the table that the parser uses and from the files themselves. */
export const docs_path = join(checkout, "docs", "scenarios.md");

const intro = `# Scenarios

A scenario is a story of a failure that can be read aloud, and run: on the lab's machines, or in the simulator. One language, two
worlds. The files are in [scenarios/](../scenarios/); this page is made from the language's own table (\`node
scripts/scenario-docs.ts\`), and \`duet scenario words\` prints the same.

\`\`\`
# Node failure
start both machines
until 1+1
clients write
cut the power of the leader
until the survivor serves
expect 1+0
power on the peer
until 1+1
expect nothing lost
\`\`\`

- One step a line. What follows a \`#\` is a comment; the first one is the title, those below it say why the story matters.
- **Steps that do** something go on as soon as it is done. **\`until\`** waits, ${within_ms_default / 60_000} minutes at most unless the line ends with
  \`within DURATION\`. **\`expect\`** looks once. The first step that fails ends the run, with its line and what was seen instead.
- A machine is \`node1\` or \`node2\`, or a part that it plays. \`the peer\` is the one that a step last took away, \`the survivor\` the
  other one; after a cut wire it shows in the race who is left. \`the leader\` and \`the follower\` are etcd's.
- A world that can't do all steps of a file refuses it before anything is started, with exit status 3. Of the moments (a fault at one
  step of duet's) the lab has those that stand in etcd's logs, the promote entry and the marker write; the simulator does all but what it
  leaves out (kubelet, CRI-O, Kubernetes, clocks, setup, credentials, etcd's quota).
- What only the lab can see is looked at there alone: \`in the lab: expect kubelet runs on node1\` is no step of the simulator's. What is
  done is the same in both worlds.

\`\`\`sh
duet scenario run scenarios/node-failure.txt --in sim       # under a second; --seed 7: another run of it
duet scenario run scenarios/machine-lost.txt --in lab
duet scenario format my-story.txt            # --check: only look
npm run scenarios                            # all that can run here, and a table
npm run scenarios -- --labs 2                # the same with two labs at once
npm run scenarios -- --kubernetes            # those of the lab, each with Kubernetes and clients of its API
\`\`\`

In the simulator time is virtual: an hour costs nothing, and the same text gives the same run. The site was set up and shut down in
good order before the first step. A story has no faults but those that it tells. Its clients send a few writes a second, and 128 at
once whenever a step does something, so that many are on their way in that moment. Every check of [the simulator](simulator.md) is
on: one that breaks fails the step in which that came. So does a machine that calls for a person with a sentence that is not so, held against the
disks, tags and BMCs as they are, for longer than 20 s, or in the moment in which a step reads it. Behind the last step half a minute more goes by: a story that
ended with both machines has to be calm then. A moment (\`at the tag write: …\`) is seen in what is sent or written; what is
sent then is on its way, and nothing that follows from it has happened. A full disk leaves room for duet's own small file.

In the lab [the clients](clients.md) keep 128 writes in flight, and \`expect nothing lost\` holds their whole history against both
machines' data; they stop for it. Behind the last step of a story that ends with both machines, and leaves no fault and no accepted
loss behind, each machine's \`duet status\` has to say 1+1 within a minute and a half, with nothing wrong. [Clients of the API](clients.md#clients-of-the-kubernetes-api) have a history of their own. With
\`kubernetes\` at its head a file has a lab of its own kind: the machines have a control plane, and the API a virtual IP.
\`the controllers' leader\` is the machine whose controller manager holds the lease, \`the address's holder\` the one whose interfaces have
the API's virtual IP.

How soon somebody serves again is asserted where it is promised, in network-failure and node-failure: within 120 seconds of the moment in which
the loss was seen. On a busy host any other figure would fail now and then, so figures are [the bench's](bench.md), and the limit of any other wait is only patience.
Three stories bound the time without writes all the same, since a stop that was planned is no outage: reboot-leader and reboot-follower with 5 seconds, where half of
one is the aim, and planned-gap with that, in the simulator, where no host is busy. What clients are told in an outage has bounds too: in the stories that ask, each
write ends in 10 seconds, etcd's own 7 and some for the host, and serializable reads go on, with no gap over 10 seconds at the survivor. What stories ask of
the Kubernetes API and its address is beside this.

Writes that fail are counted in two ways. \`until writes fail\`, as in network-failure and node-failure, counts those that failed and those that stay open, at any
machine: a connection that broke, a refusal, a client that gave up. An etcd's own error comes only when it has had no leader for 7 seconds, and a takeover of 4 to 6 leaves it no time for that. So the stories
in which nobody may serve for longer say \`until writes through MACHINE fail with errors\`, which counts nothing but such an error.

A moment in the lab is met in what etcd has written. The host follows both machines' logs on their disks. At the sight of the entry it freezes
the machine that leads, syncs its log, as that machine's own sync would have, and does the deed, which can only be to take power, feeds or
wires away. Then it looks at what both disks hold: a run in which the entry is not there, or the joiner is full, has missed the moment, and
fails. The story slows the leader's disk, so that there is time to see it. The other moments stay the simulator's: they are only sent, or
over in a millisecond.

\`--kubernetes\` tells any story of the lab so: a Deployment of four pods runs, clients of the API write from where etcd's clients do (these keep to 100
writes a second then: the API servers need the machines, too), and are judged where those are. Where the story waits until a machine serves, the API has to
answer within two minutes of that. Where it waits for nobody to serve, they count from when the loss was seen, and are asked for where Off shows, or where both machines are waited for next. No write may hang for longer than [Kubernetes itself lets it](clients.md#how-long-a-caller-hangs-while-etcd-has-no-leader). A story that ends whole, with nobody lost after its last 1+1, waits for the Deployment, and for nobody being marked out of
service. A watcher may have been told 410 Gone unless it is sure that one API server went on with all that it had: where always the same machine was taken away,
and nothing drew out the time without a leader. Where an admin gives data away the API's history is not judged; where an admin's word stands for a proof
the address may have been on both machines; a raw command past duet is no such word.
`;

const groups: readonly { readonly group: Word["group"]; readonly title: string; readonly column: string }[] =
  [
    { group: "head", title: "At the head of a file", column: "line" },
    { group: "do", title: "What is done", column: "step" },
    { group: "until", title: "What is waited for", column: "step" },
    { group: "expect", title: "What must be so", column: "step" },
    { group: "slot", title: "What the capitals stand for", column: "word" },
  ];

export async function docsText(): Promise<string> {
  const all = words();
  const tables = groups.map(({ group, title, column }) => {
    const rows = all
      .filter((word) => word.group === group)
      .map(({ say, means }) => `| \`${say}\` | ${means} |`);
    return `## ${title}\n\n| ${column} | meaning |\n|---|---|\n${rows.join("\n")}\n`;
  });
  const files = (await scenarioFiles()).map(({ name, scenario: { header } }) => {
    const worlds = `${header.worlds.join(", ")}${header.ci ? ", ci" : ""}`;
    return `| [${name}](../scenarios/${name}.txt) | ${header.title} | ${worlds} |`;
  });
  const list = `## The files\n\n| file | story | worlds |\n|---|---|---|\n${files.join("\n")}\n`;
  return [intro, ...tables, list].join("\n");
}

if (import.meta.main && isCalledBare("node scripts/scenario-docs.ts\n  writes docs/scenarios.md")) {
  await replaceSynced(docs_path, await docsText());
  process.stdout.write("docs/scenarios.md is written\n");
}
