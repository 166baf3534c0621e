import { etcdPorts, paths } from "../../base/paths.ts";
import { shellWord } from "../../base/text.ts";
import type { LogFacts } from "../../act/effects.ts";
import type { Lineage } from "../../decide/facts.ts";
import { lineageText } from "../../decide/rule.ts";

export interface LeftData {
  readonly machine: string;
  readonly peer: string;
  readonly at: string;
  readonly log: LogFacts;
  readonly lineage: Lineage | undefined;
}

const restored = `${paths.etcdData}-restored`;

/** How etcd is started on what duet leaves, without duet: a script with the exact command, and what the data is in its comments. */
export function startEtcdScript({ machine, peer, at, log, lineage }: LeftData): string {
  const { about, steps } = waysOf(machine, peer, log);
  return [
    "#!/bin/sh",
    `# Written by \`duet uninstall\` on ${machine}, ${at}.`,
    `# The data is ${paths.etcdData}: ${lineageText(lineage)}.`,
    ...about.map((line) => `# ${line}`),
    "# It listens on the loopback address only, without TLS, and says everything on the terminal. As root:",
    "set -eu",
    ...steps,
    "",
  ].join("\n");
}

interface Ways {
  readonly about: readonly string[];
  readonly steps: readonly string[];
}

function waysOf(machine: string, peer: string, log: LogFacts): Ways {
  const { data, standing, soleVoter } = log;
  if (!data || standing === "none") {
    const why = `this machine holds no data of etcd's; ${peer} may`;
    return { about: ["There is none."], steps: [`echo ${shellWord(why)} >&2`, "exit 1"] };
  }
  if (standing === "voter" && soleVoter)
    return {
      about: [
        "This machine was the only member: it holds everything that was acknowledged, and starts as it is.",
      ],
      steps: [etcd(machine, paths.etcdData)],
    };
  if (standing === "voter" && !log.removalInLog && !log.tailLost)
    return {
      about: [
        `It was a member beside ${peer}, which it did not leave in order: it is made the only member here, once. What ${peer}`,
        `acknowledged alone is not in it. Not while etcd runs on ${peer}.`,
        "A follower learns late what is committed. etcd would drop what it does not know to be, though a client may have been told",
        `of it: so duet writes first that all of the log is committed, and keeps the log as it was in ${paths.etcdData}.before-alone.`,
      ],
      steps: [
        'PATH="$PATH:/usr/local/bin"',
        `force=$(duet wal alone ${paths.etcdData}) || {`,
        `  echo ${shellWord("etcd is not started: without `duet wal alone` it may drop what was acknowledged")} >&2`,
        "  exit 1",
        "}",
        etcd(machine, paths.etcdData, ["$force"]),
      ],
    };
  return {
    about: [
      `${whyRestored(log)}: this machine may lack what was acknowledged, and ${peer} went on without it.`,
      `The newer data is on ${peer}. etcd does not start with this as it is: a copy is made of its database, as it was then.`,
    ],
    steps: [
      `[ -e ${restored} ] || etcdutl snapshot restore ${paths.etcdData}/member/snap/db --skip-hash-check \\`,
      `  --data-dir ${restored} --name ${shellWord(machine)} \\`,
      `  --initial-cluster ${shellWord(`${machine}=${url(etcdPorts.peer)}`)} --initial-advertise-peer-urls ${url(etcdPorts.peer)}`,
      etcd(machine, restored),
    ],
  };
}

const whyRestored = ({ standing, tailLost }: LogFacts): string =>
  tailLost
    ? "The end of its log is lost"
    : `It is no voter's (${standing === "voter" ? "to be removed" : standing})`;

const url = (port: number): string => `http://127.0.0.1:${port}`;

/** With nothing from the environment: etcd takes settings from there too. */
const etcd = (machine: string, folder: string, more: readonly string[] = []): string =>
  [
    'exec env -i PATH="$PATH" etcd',
    `--name ${shellWord(machine)} --data-dir ${folder}`,
    `--listen-client-urls ${url(etcdPorts.client)} --advertise-client-urls ${url(etcdPorts.client)}`,
    `--listen-peer-urls ${url(etcdPorts.peer)}${more.map((each) => ` ${each}`).join("")}`,
  ].join(" \\\n  ");
