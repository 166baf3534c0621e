import * as v from "valibot";
import { canonicalAddress, isReachable } from "./address.ts";
import { minor_min } from "./kubernetes.ts";
import { parseNetwork } from "./network.ts";
import type { SentenceKey } from "./sentences.ts";

const say = (key: SentenceKey): string => key;

const version = v.pipe(
  v.string(say("kubernetes-version")),
  v.regex(/^1\.\d{1,3}\.\d{1,3}$/, say("kubernetes-version")),
  v.check((text) => Number(text.split(".")[1]) >= minor_min, say("kubernetes-old")),
  v.description("What the images are, such as 1.36.3; 1.35 or later"),
);

const network = v.pipe(
  v.string(say("network")),
  v.check((text) => parseNetwork(text) !== undefined, say("network")),
);

/** With its registry and its tag or digest: what is left out would be guessed differently by each machine. */
const image = v.pipe(
  v.string(say("image")),
  v.maxLength(255, say("image")),
  v.regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64})$/,
    say("image"),
  ),
);

const host = v.pipe(
  v.string(say("api-name")),
  v.check((text) => isHost(text), say("api-name")),
);

/** An address that others reach, or a name with lower-case letters that no address could be meant by. */
function isHost(text: string): boolean {
  const address = canonicalAddress(text);
  if (address !== undefined) return isReachable(address);
  return (
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text) &&
    !/(^|\.)\d+$/.test(text)
  );
}

const from = (what: string) => v.optional(v.pipe(image, v.description(what)));

const images = v.pipe(
  v.strictObject(
    {
      apiserver: from("kube-apiserver's image"),
      controller_manager: from("kube-controller-manager's image"),
      scheduler: from("kube-scheduler's image"),
      proxy: from("kube-proxy's image"),
      dns: from("CoreDNS's image"),
      pause: from("The image that holds a pod together"),
    },
    say("images"),
  ),
  v.description("Where each image comes from; without it, its public name with the version"),
);

export const kubernetesSchema = v.pipe(
  v.strictObject(
    {
      version: v.optional(version),
      pods: v.optional(
        v.pipe(network, v.description("The pods' addresses: each machine gets one /24 of it (IPv6: /64)")),
      ),
      services: v.optional(
        v.pipe(network, v.description("The services' addresses: the first is the API's, the tenth DNS's")),
      ),
      names: v.optional(
        v.pipe(
          v.array(host, say("api-names")),
          v.maxLength(16, say("api-names")),
          v.description("Further names and addresses that the API is called by, such as a load balancer's"),
        ),
      ),
      images: v.optional(images),
    },
    say("kubernetes"),
  ),
  v.description("A Kubernetes control plane on the two machines, made by duet; `{}` takes every default"),
);
