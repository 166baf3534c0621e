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

function waysOf(machine: string, peer: string, { data, standing, soleVoter }: LogFacts): Ways {
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
  if (standing === "voter")
    return {
      about: [
        `It was a member beside ${peer}, which it did not leave in order: it is made the only member here. What ${peer}`,
        `acknowledged alone is not in it, and neither may be the very last writes. Not while etcd runs on ${peer}.`,
      ],
      steps: [etcd(machine, paths.etcdData, ["--force-new-cluster"])],
    };
  return {
    about: [
      `It is no voter's (${standing}): this machine left its cluster, or never was full, and ${peer} went on without it.`,
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

const url = (port: number): string => `http://127.0.0.1:${port}`;

/** With nothing from the environment: etcd takes settings from there too. */
const etcd = (machine: string, folder: string, more: readonly string[] = []): string =>
  [
    'exec env -i PATH="$PATH" etcd',
    `--name ${shellWord(machine)} --data-dir ${folder}`,
    `--listen-client-urls ${url(etcdPorts.client)} --advertise-client-urls ${url(etcdPorts.client)}`,
    `--listen-peer-urls ${url(etcdPorts.peer)}${more.map((each) => ` ${each}`).join("")}`,
  ].join(" \\\n  ");
