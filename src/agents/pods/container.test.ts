import assert from "node:assert/strict";
import { test } from "node:test";
import { containerIn, signalIn, usual, wishIn } from "./container.ts";

const id = "0123456789abcdef".repeat(4);

test("a container is known by its control group, and its monitor is none", () => {
  for (const cgroup of [
    `0::/kubepods.slice/kubepods-pod1.slice/crio-${id}.scope`,
    `0::/kubepods.slice/kubepods-pod1.slice/crio-${id}.scope/container`,
    `12:memory:/kubepods/besteffort/pod1/crio-${id}\n1:name=systemd:/kubepods/besteffort/pod1/crio-${id}\n`,
  ])
    assert.equal(containerIn(cgroup), id, cgroup);
  for (const cgroup of [`0::/system.slice/crio-conmon-${id}.scope`, "0::/kubepods.slice", ""])
    assert.equal(containerIn(cgroup), undefined, cgroup);
});

test("an image's own signal is sent and a pod's own grace given, and what can't be read is ended as usual", () => {
  const bundle = (annotations: object) => JSON.stringify({ ociVersion: "1.2.0", annotations });
  const own = {
    "org.opencontainers.image.stopSignal": "SIGQUIT",
    "io.kubernetes.pod.terminationGracePeriod": "5",
    "io.kubernetes.pod.name": "web",
  };
  assert.deepEqual(wishIn(bundle(own)), { signal: "SIGQUIT", grace_ms: 5_000 });
  for (const text of [
    undefined,
    "",
    "{}",
    bundle({}),
    bundle({
      "org.opencontainers.image.stopSignal": "sigwhat",
      "io.kubernetes.pod.terminationGracePeriod": "-1",
    }),
  ])
    assert.deepEqual(wishIn(text), usual, text);
});

test("signals by the names that images give them", () => {
  assert.deepEqual(
    [
      "SIGINT",
      "int",
      "Quit",
      "3",
      "SIGRTMIN+3",
      "rtmin+3",
      "0",
      "65",
      "SIGRTMIN+31",
      "",
      "-9",
      "SIGNOPE",
    ].map(signalIn),
    [
      "SIGINT",
      "SIGINT",
      "SIGQUIT",
      3,
      37,
      37,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
});
