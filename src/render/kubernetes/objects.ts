import {
  controllerLeases,
  adminsGroup,
  clusterDomain,
  dnsAddress,
  type KubernetesSite,
  machineUser,
} from "./names.ts";

/** An object of the API, and where it is: its path is also what it is called in messages. */
export interface KubernetesObject {
  readonly path: string;
  readonly body: object;
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const system = "kube-system";

/** Who may do what beyond what Kubernetes itself says at its first start. */
export const accessObjects = (site: KubernetesSite): readonly KubernetesObject[] => [
  clusterRole("duet:machine", [
    // Exactly the two: to mark a dead peer, and to take the mark away. Kubernetes can't say "only the taints".
    {
      apiGroups: [""],
      resources: ["nodes"],
      resourceNames: site.machines.map(({ name }) => name),
      verbs: ["get", "patch"],
    },
    { nonResourceURLs: ["/readyz", "/livez"], verbs: ["get"] },
  ]),
  binding("duet:machine", "duet:machine", machineUsers(site)),
  ...leaseAccess(site),
  machinesFlow(site),
  // In place of system:masters, which nobody can take away again.
  binding(adminsGroup, "cluster-admin", [{ kind: "Group", name: adminsGroup }]),
  binding("duet:kubelet-api", "system:kubelet-api-admin", [{ kind: "User", name: kubeletClientUser }]),
];

const machineUsers = ({ machines }: KubernetesSite): readonly Subject[] =>
  machines.map(({ name }) => ({ kind: "User", name: machineUser(name) }));

/** Exactly these two leases: a machine that is off, or that goes, must not keep the controllers of the other waiting. */
const leaseAccess = (site: KubernetesSite): readonly KubernetesObject[] => [
  {
    path: `${rbac}/namespaces/${system}/roles/duet:machine`,
    body: {
      apiVersion: `${rbacGroup}/v1`,
      kind: "Role",
      metadata: { name: "duet:machine", namespace: system },
      rules: [
        {
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
          resourceNames: controllerLeases,
          verbs: ["get", "patch"],
        },
      ],
    },
  },
  {
    path: `${rbac}/namespaces/${system}/rolebindings/duet:machine`,
    body: {
      apiVersion: `${rbacGroup}/v1`,
      kind: "RoleBinding",
      metadata: { name: "duet:machine", namespace: system },
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: "duet:machine" },
      subjects: machineUsers(site).map((each) => ({ apiGroup: rbacGroup, ...each })),
    },
  },
];

/**
 * The same calls as above never queue: in a failover everybody asks again at once, and the mark on a dead peer would wait behind them.
 * Which Nodes and leases can't be said here; the roles above say it.
 */
const machinesFlow = ({ machines }: KubernetesSite): KubernetesObject => ({
  path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/duet-machines",
  body: {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name: "duet-machines" },
    spec: {
      priorityLevelConfiguration: { name: "exempt" },
      // Before all others: 1 is taken only of Kubernetes itself.
      matchingPrecedence: 2,
      rules: [
        {
          subjects: machines.map(({ name }) => ({ kind: "User", user: { name: machineUser(name) } })),
          resourceRules: [
            { apiGroups: [""], resources: ["nodes"], verbs: ["get", "patch"], clusterScope: true },
            {
              apiGroups: ["coordination.k8s.io"],
              resources: ["leases"],
              verbs: ["get", "patch"],
              namespaces: [system],
            },
          ],
          nonResourceRules: [{ nonResourceURLs: ["/readyz", "/livez"], verbs: ["get"] }],
        },
      ],
    },
  },
});

/** As whom the API server asks kubelets for logs, and runs commands in pods. */
export const kubeletClientUser = "kube-apiserver-kubelet-client";

const clusterRole = (name: string, rules: readonly object[]): KubernetesObject => ({
  path: `${rbac}/clusterroles/${name}`,
  body: { apiVersion: `${rbacGroup}/v1`, kind: "ClusterRole", metadata: { name }, rules },
});

interface Subject {
  readonly kind: "User" | "Group";
  readonly name: string;
}

const binding = (name: string, role: string, subjects: readonly Subject[]): KubernetesObject => ({
  path: `${rbac}/clusterrolebindings/${name}`,
  body: {
    apiVersion: `${rbacGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: role },
    subjects: subjects.map((each) => ({ apiGroup: rbacGroup, ...each })),
  },
});

const labels = { "k8s-app": "kube-dns" };
const account = { kind: "ServiceAccount", name: "coredns", namespace: system };
const namespaced = (kind: string): string => `/api/v1/namespaces/${system}/${kind}`;

/**
 * Names in the cluster. `forward`: the machines have name servers to ask for the rest; CoreDNS would not start where there are none.
 */
export const dnsObjects = (site: KubernetesSite, forward: boolean): readonly KubernetesObject[] => [
  {
    path: `${namespaced("serviceaccounts")}/coredns`,
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "coredns", namespace: system } },
  },
  clusterRole("duet:coredns", [
    {
      apiGroups: [""],
      resources: ["endpoints", "services", "pods", "namespaces"],
      verbs: ["list", "watch"],
    },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
  ]),
  {
    path: `${rbac}/clusterrolebindings/duet:coredns`,
    body: {
      apiVersion: `${rbacGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "duet:coredns" },
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "duet:coredns" },
      subjects: [account],
    },
  },
  {
    path: `${namespaced("configmaps")}/coredns`,
    body: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "coredns", namespace: system },
      data: { Corefile: corefile(forward) },
    },
  },
  { path: `/apis/apps/v1/namespaces/${system}/daemonsets/coredns`, body: dns(site) },
  {
    path: `${namespaced("services")}/kube-dns`,
    body: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kube-dns", namespace: system, labels },
      spec: {
        clusterIP: dnsAddress(site),
        selector: labels,
        ports: [
          { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
          { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
        ],
      },
    },
  },
];

const corefile = (forward: boolean): string =>
  [
    ".:53 {",
    "    errors",
    "    health {",
    "        lameduck 5s",
    "    }",
    "    ready",
    `    kubernetes ${clusterDomain} in-addr.arpa ip6.arpa {`,
    "        pods insecure",
    "        fallthrough in-addr.arpa ip6.arpa",
    "    }",
    ...(forward ? ["    forward . /etc/resolv.conf"] : []),
    "    cache 30",
    "    loadbalance",
    "    reload",
    "}",
    "",
  ].join("\n");

/**
 * One on each machine, for good: names are wanted most of all in a failover. Of a Deployment both pods would be the survivor's after the
 * first loss, and nothing spreads them again.
 */
function dns({ kubernetes: { images } }: KubernetesSite): object {
  const probe = (path: string, port: number) => ({ httpGet: { path, port }, timeoutSeconds: 5 });
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "coredns", namespace: system, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "coredns",
          priorityClassName: "system-cluster-critical",
          // The machine's own name servers, not itself.
          dnsPolicy: "Default",
          tolerations: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }],
          containers: [
            {
              name: "coredns",
              image: images.dns,
              imagePullPolicy: "IfNotPresent",
              args: ["-conf", "/etc/coredns/Corefile"],
              ports: [
                { name: "dns", containerPort: 53, protocol: "UDP" },
                { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
              ],
              resources: { requests: { cpu: "50m", memory: "32Mi" }, limits: { memory: "170Mi" } },
              livenessProbe: { ...probe("/health", 8080), failureThreshold: 5 },
              readinessProbe: { ...probe("/ready", 8181), periodSeconds: 2 },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
              },
              volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
            },
          ],
          volumes: [
            {
              name: "config",
              configMap: { name: "coredns", items: [{ key: "Corefile", path: "Corefile" }] },
            },
          ],
        },
      },
    },
  };
}
