import * as v from "valibot";
import { parse, stringify } from "yaml";
import { Secret } from "../../base/secret.ts";

/** What it takes to speak to an API: PEM, as it is. */
export interface Kubeconfig {
  /** Of the cluster, and of the context: what a person sees. */
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  /** Whose certificates are believed. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: Secret;
}

const encoded = (text: string): string => Buffer.from(text).toString("base64");

/** Everything is in it: one file, which nobody else may read. */
export function kubeconfigText(config: Kubeconfig): string {
  const context = `${config.user}@${config.cluster}`;
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: config.cluster,
          cluster: { server: config.server, "certificate-authority-data": encoded(config.authority) },
        },
      ],
      users: [
        {
          name: config.user,
          user: {
            "client-certificate-data": encoded(config.certificate),
            "client-key-data": encoded(config.key.reveal()),
          },
        },
      ],
      contexts: [{ name: context, context: { cluster: config.cluster, user: config.user } }],
      "current-context": context,
    },
    { lineWidth: 0 },
  );
}

const data = v.pipe(v.string(), v.base64());
const shape = v.object({
  clusters: v.tuple([
    v.object({
      name: v.string(),
      cluster: v.object({ server: v.string(), "certificate-authority-data": data }),
    }),
  ]),
  users: v.tuple([
    v.object({
      name: v.string(),
      user: v.object({ "client-certificate-data": data, "client-key-data": data }),
    }),
  ]),
});

/** Of a file that duet wrote; undefined for every other, and for a broken one. */
export function readKubeconfig(text: string): Kubeconfig | undefined {
  const read = v.safeParse(shape, parsed(text));
  if (!read.success) return undefined;
  const {
    clusters: [{ name: cluster, cluster: given }],
    users: [{ name: user, user: shown }],
  } = read.output;
  const decoded = (each: string): string => Buffer.from(each, "base64").toString();
  return {
    cluster,
    user,
    server: given.server,
    authority: decoded(given["certificate-authority-data"]),
    certificate: decoded(shown["client-certificate-data"]),
    key: new Secret(decoded(shown["client-key-data"])),
  };
}

function parsed(text: string): unknown {
  try {
    const read: unknown = parse(text);
    return read;
  } catch {
    return undefined;
  }
}
