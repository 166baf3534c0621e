import type { Machine } from "../site/site.ts";
import type { MachineFile } from "./ignition.ts";
import { credentialsFile } from "./machine-site.ts";

/** Pacemaker finds fence agents by their name in this one folder. The executable is one for all agents: this makes it that one. */
export const fenceAgentFile: MachineFile = {
  path: "/usr/sbin/fence_duet",
  mode: 0o755,
  content: '#!/bin/sh\nexec /usr/local/bin/duet fence "$@"\n',
};

/** What the device that fences this machine is told. No delay and no address: turns are taken inside, the rest is in the site file. */
export const fenceDuetOptions = (m: Machine): readonly (readonly [string, string])[] => [
  ["pcmk_host_list", m.name],
  ["pcmk_host_check", "static-list"],
  ["credentials_file", credentialsFile(m)],
];
