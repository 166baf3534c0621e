import type { MachineFile } from "./ignition.ts";

/** Pacemaker finds fence agents by their name in this one folder. The executable is one for all agents: this makes it that one. */
export const fenceAgentFile: MachineFile = {
  path: "/usr/sbin/fence_duet",
  mode: 0o755,
  content: '#!/bin/sh\nexec /usr/local/bin/duet fence "$@"\n',
};
