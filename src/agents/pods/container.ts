import { constants } from "node:os";
import * as v from "valibot";
import { readIfThere } from "../../machine/files.ts";

/** How a container wants to be ended. */
export interface Wish {
  readonly signal: NodeJS.Signals | number;
  /** So long it is given before it is killed. */
  readonly grace_ms: number;
}

/** As Kubernetes does it where nothing is said. */
export const usual: Wish = { signal: "SIGTERM", grace_ms: 30_000 };

/** Where CRI-O keeps what it has started a container with. */
const bundleOf = (id: string): string =>
  `/run/containers/storage/overlay-containers/${id}/userdata/config.json`;

/** Of /proc/PID/cgroup: `crio-ID`, or `crio-ID.scope`; undefined for what is no container, as the monitor of one. */
export const containerIn = (cgroup: string): string | undefined =>
  /\/crio-([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m.exec(cgroup)?.[1];

export async function wishOf(id: string): Promise<Wish> {
  return wishIn(await readIfThere(bundleOf(id)).catch(() => undefined));
}

const bundle = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    annotations: v.object({
      "org.opencontainers.image.stopSignal": v.optional(v.string()),
      "io.kubernetes.pod.terminationGracePeriod": v.optional(v.string()),
    }),
  }),
);

/** What can't be read is ended as usual: it has to end anyway. */
export function wishIn(text: string | undefined): Wish {
  const read = v.safeParse(bundle, text);
  if (!read.success) return usual;
  const {
    "org.opencontainers.image.stopSignal": signal,
    "io.kubernetes.pod.terminationGracePeriod": grace_s,
  } = read.output.annotations;
  return {
    signal: signalIn(signal ?? "") ?? usual.signal,
    grace_ms: grace_s !== undefined && /^\d{1,9}$/.test(grace_s) ? Number(grace_s) * 1000 : usual.grace_ms,
  };
}

/** The first of the real-time signals, which Linux' C library gives to programs. */
const realTime = 34;

/** As images name them: `SIGQUIT`, `QUIT`, `3`, `SIGRTMIN+3`. */
export function signalIn(text: string): NodeJS.Signals | number | undefined {
  const name = text.toUpperCase().replace(/^(?:SIG)?/, "SIG");
  if (isSignal(name)) return name;
  const [, beyond, plain] = /^SIG(?:RTMIN\+(\d{1,2})|(\d{1,2}))$/.exec(name) ?? [];
  const number = beyond === undefined ? Number(plain) : realTime + Number(beyond);
  return number >= 1 && number <= 64 ? number : undefined;
}

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);
