/** What is said of a site with Kubernetes: its API, the API's virtual IP, and a user's Deployment. The rest is in phrases.ts. */

export interface Phrase {
  readonly say: string;
  readonly means: string;
}

export const kubernetesDeeds = {
  "unplug-address": {
    say: "unplug MACHINE from the address's wire",
    means:
      "The cable of link 1 is pulled at this machine: its interface has no carrier. In a lab the API's virtual IP is in the network of that link.",
  },
  "plug-address": { say: "plug MACHINE into the address's wire", means: "It has its cable again." },
  "api-clients-write": {
    say: "API clients write",
    means:
      "From now on ConfigMaps are created through the API's virtual IP, each 100 ms by each of two writers, and two watchers follow them. Each second each machine's own API server is asked for a write and a read, too.",
  },
  deploy: {
    say: "a deployment of NUMBER pods runs",
    means:
      "It is made with a Service, spread over the machines; the step ends when all its pods are ready and can be entered.",
  },
  "deploy-stateful": {
    say: "a StatefulSet of one pod runs on MACHINE",
    means:
      "Its pod is wanted there, and elsewhere rather than nowhere; the step ends when it is ready there and can be entered.",
  },
} as const satisfies Record<string, Phrase>;

export const kubernetesWaits = {
  "until-api": {
    say: "until the API answers",
    means:
      "A write through its virtual IP is acknowledged. A limit that the line gives counts from when the loss was seen, if a step has waited for that since somebody was taken away.",
  },
  "until-api-fails": {
    say: "until API calls fail",
    means: "A client of the API was told that its write failed, or was told nothing in time.",
  },
  "until-deployment": {
    say: "until the deployment is whole",
    means: "As many pods as were asked for are ready, and each can be entered.",
  },
  "until-replaced": {
    say: "until the pods of MACHINE are replaced",
    means: "The deployment is whole without any pod that it had on this machine when it was last seen whole.",
  },
  "until-stateful-replaced": {
    say: "until the StatefulSet has its pod on MACHINE",
    means: "It is ready there, can be entered, and is another one than the step before saw.",
  },
  "until-names": {
    say: "until names are found on MACHINE",
    means:
      "From a pod of the deployment there each of eight lookups of its Service's name finds its address.",
  },
  "until-no-endpoint": {
    say: "until the service has no endpoint on MACHINE",
    means: "The EndpointSlices of the deployment's Service have ready endpoints, and none on this machine.",
  },
  "until-no-api-endpoint": {
    say: "until the API's service has no endpoint on MACHINE",
    means:
      "The same of the Service `kubernetes`, by which pods call the API. Its API servers keep it themselves, and look each 10 s who lives; one that is proven off is taken out by duet.",
  },
  "until-out-of-service": {
    say: "until MACHINE is marked out of service",
    means: "Its Node has the taint by which Kubernetes replaces its pods.",
  },
  "until-in-service": {
    say: "until nobody is marked out of service",
    means: "No Node has that taint.",
  },
  "until-address": {
    say: "until the address is on MACHINE",
    means: "Its interfaces have the API's virtual IP, and those of no other machine with power have it.",
  },
} as const satisfies Record<string, Phrase>;

export const kubernetesExpectations = {
  "expect-api-whole": {
    say: "expect the API's history whole",
    means:
      "Every acknowledged ConfigMap is there, each watcher saw each once and in order, no resourceVersion went back, no watch had to begin anew with a list, and every call had an end.",
  },
  "expect-api-whole-gone": {
    say: "expect the API's history whole but for 410 Gone",
    means: "The same, and a watcher that the API could not go on with may have read the list again.",
  },
  "expect-api-writes-bounded": {
    say: "expect each API write to end in DURATION",
    means:
      "Each machine that lives has answered or refused each write that it was asked for, in this time; who asks waits for 70 s. Where no write was acknowledged for longer than that, it has answered one, and not only refused connections.",
  },
  "expect-api-reads-bounded": {
    say: "expect each API read to end in DURATION",
    means: "The same for reads that only etcd can answer.",
  },
  "expect-api-gap": {
    say: "expect no gap in API writes over DURATION",
    means: "Since the API's clients began, acknowledged writes were never further apart.",
  },
  "expect-in-service": {
    say: "expect nobody is marked out of service",
    means: "No Node has the taint by which Kubernetes replaces the pods of a machine that is off.",
  },
  "expect-address-one": {
    say: "expect the address on one machine",
    means: "One machine with power has the API's virtual IP on its interfaces, and the other has not.",
  },
  "expect-address-never-both": {
    say: "expect the address was never on both machines",
    means:
      "Since both machines were started; the interfaces of both were looked at several times a second, also of one that hangs.",
  },
  "expect-address-not-taken": {
    say: "expect nobody took the address",
    means:
      "Since the last step that took something away it was on no machine but the one that had it before, which may be without power.",
  },
  "expect-address-after-off": {
    say: "expect the address moved after Off was confirmed",
    means:
      "Since the last step that took something away: the other machine was first seen with it after its own recorder had noted Off.",
  },
  "expect-address-soon-after-off": {
    say: "expect the address moved within DURATION of Off",
    means: "The same, and no later than that after the note.",
  },
  "expect-address-moved": {
    say: "expect the address moved in DURATION",
    means: "From just before the last step that took something away until the other machine had it.",
  },
} as const satisfies Record<string, Phrase>;

/** Steps that need a site with Kubernetes. */
export const kubernetesKinds: ReadonlySet<string> = new Set([
  ...Object.keys(kubernetesDeeds),
  ...Object.keys(kubernetesWaits),
  ...Object.keys(kubernetesExpectations),
]);
