import assert from "node:assert/strict";
import { test } from "node:test";
import { faultKinds } from "../lab/bmc/fault.ts";
import { Bmc, type BmcAnswer, type BmcRequest, bmcTimes, type Fault } from "./bmc.ts";
import { Kernel } from "./kernel/kernel.ts";
import { Pdu } from "./pdu.ts";

function bench(...faults: readonly Fault[]) {
  const kernel = new Kernel({ seed: 1 });
  const metal = { powered: true, hung: false };
  const bmc = new Bmc(kernel, 0, {
    isOn: () => metal.powered,
    on: () => {
      metal.powered = true;
    },
    cut: () => {
      metal.powered = false;
    },
    press: () => {
      if (!metal.hung) metal.powered = false;
    },
  });
  bmc.remember(true);
  bmc.writeTag("before");
  bmc.setFaults(faults);
  const ask = (request: BmcRequest, within_us = 2_000_000): BmcAnswer | undefined => {
    let answer: BmcAnswer | undefined;
    bmc.handle(request, (got) => {
      answer = got;
    });
    kernel.runSync(kernel.now_us + within_us);
    return answer;
  };
  return { kernel, metal, bmc, ask };
}

test("off takes its time, and is read only when it is true", () => {
  const { kernel, metal, bmc, ask } = bench();
  assert.equal(ask({ kind: "reset", type: "ForceOff" }, 200_000)?.status, 204);
  assert.equal(bmc.power, "PoweringOff");
  assert.equal(metal.powered, true);
  assert.equal(ask({ kind: "read" }, 200_000)?.power, "PoweringOff");
  kernel.runSync(kernel.now_us + bmcTimes.off_us);
  assert.equal(metal.powered, false);
  assert.equal(ask({ kind: "read" })?.power, "Off");
  assert.equal(ask({ kind: "reset", type: "ForceOff" })?.status, 204, "off again is no error");
  assert.equal(ask({ kind: "reset", type: "On" }, 10_000_000)?.status, 204);
  assert.equal(metal.powered, true);
});

test("the tag is guarded by its ETag", () => {
  const { ask } = bench();
  const first = ask({ kind: "read" });
  assert.equal(first?.tag, "before");
  const if_match = first?.etag ?? "";
  assert.equal(ask({ kind: "tag", value: "mine", if_match })?.status, 200);
  assert.equal(ask({ kind: "tag", value: "late", if_match })?.status, 412);
  assert.equal(ask({ kind: "read" })?.tag, "mine");
});

test("every fault of the lab's BMC does here what it does there", () => {
  const off: BmcRequest = { kind: "reset", type: "ForceOff" };
  const tag: BmcRequest = { kind: "tag", value: "new" };
  const expected: Record<keyof typeof faultKinds, () => void> = {
    unreachable: () => assert.equal(bench({ kind: "unreachable" }).ask({ kind: "read" }), undefined),
    "hang-after-connect": () =>
      assert.equal(bench({ kind: "hang-after-connect" }).ask({ kind: "read" }, 600_000_000), undefined),
    "hang-in-tls": () => assert.equal(bench({ kind: "hang-in-tls" }).ask(off, 600_000_000), undefined),
    drip: () => assert.equal(bench({ kind: "drip" }).ask({ kind: "read" }), undefined),
    unauthorized: () => assert.equal(bench({ kind: "unauthorized" }).ask({ kind: "read" })?.status, 401),
    "server-error": () => assert.equal(bench({ kind: "server-error" }).ask(tag)?.status, 500),
    "session-limit": () => {
      const { ask } = bench({ kind: "session-limit" });
      assert.equal(ask({ kind: "read", login: "session" })?.status, 503);
      assert.equal(ask({ kind: "read", login: "basic" })?.status, 200);
    },
    lies: () => {
      const { ask, metal } = bench({ kind: "lies" });
      assert.equal(ask(off, 10_000_000)?.status, 204);
      assert.equal(metal.powered, true);
      assert.equal(ask(tag)?.status, 200);
      assert.equal(ask({ kind: "read" })?.tag, "before");
    },
    "graceful-off": () => {
      const { ask, metal } = bench({ kind: "graceful-off" });
      metal.hung = true;
      assert.equal(ask(off, 10_000_000)?.status, 204);
      assert.equal(metal.powered, true);
      metal.hung = false;
      ask(off, 10_000_000);
      assert.equal(metal.powered, false);
    },
    "refuses-done": () => {
      const { ask, metal } = bench({ kind: "refuses-done" });
      assert.equal(ask(off, 10_000_000)?.status, 204);
      assert.equal(metal.powered, false);
      assert.equal(ask(off, 10_000_000)?.status, 409);
    },
    "stale-power-state": () => {
      const { ask, metal } = bench({ kind: "stale-power-state" });
      ask(off, 10_000_000);
      assert.equal(metal.powered, false);
      assert.equal(ask({ kind: "read" })?.power, "On");
    },
    "no-power-state": () => {
      const { ask, metal } = bench({ kind: "no-power-state" });
      assert.equal(ask(off, 10_000_000)?.status, 503);
      assert.equal(metal.powered, true);
      assert.deepEqual([ask({ kind: "read" })?.power, ask({ kind: "read" })?.tag], [undefined, "before"]);
      assert.equal(ask(tag)?.status, 200);
    },
    "accepted-no-effect": () => {
      const { ask, metal } = bench({ kind: "accepted-no-effect" });
      assert.equal(ask(off, 10_000_000)?.status, 202);
      assert.equal(metal.powered, true);
      assert.equal(ask(tag)?.status, 202);
      assert.equal(ask({ kind: "read" })?.tag, "before");
    },
    slow: () => {
      const { ask } = bench({ kind: "slow", seconds: 5 });
      assert.equal(ask({ kind: "read" }, 4_000_000), undefined);
      assert.equal(ask({ kind: "read" }, 6_000_000)?.status, 200);
    },
    "forgets-tag": () => {
      const { ask } = bench({ kind: "forgets-tag" });
      assert.equal(ask({ kind: "manager reset" }, bmcTimes.manager_reset_us + 1_000_000)?.status, 204);
      assert.equal(ask({ kind: "read" })?.tag, "");
    },
    "older-tag": () => {
      const { ask } = bench({ kind: "older-tag" });
      ask(tag);
      assert.equal(ask({ kind: "read" })?.tag, "new");
      assert.equal(ask({ kind: "manager reset" }, bmcTimes.manager_reset_us + 1_000_000)?.status, 204);
      assert.equal(ask({ kind: "read" })?.tag, "before");
    },
  };
  assert.deepEqual(Object.keys(expected).toSorted(), Object.keys(faultKinds).toSorted());
  for (const check of Object.values(expected)) check();
});

test("with its feed the BMC is silent; when that returns it restores what was", () => {
  const { kernel, metal, bmc, ask } = bench();
  metal.powered = false;
  bmc.feedLost();
  assert.equal(ask({ kind: "read" }, 60_000_000), undefined);
  bmc.feedReturned();
  assert.equal(ask({ kind: "read" }, 1_000_000), undefined, "it boots first");
  kernel.runSync(kernel.now_us + bmcTimes.boot_us + bmcTimes.on_us);
  assert.equal(metal.powered, true);
  assert.equal(ask({ kind: "read" })?.tag, "before");
});

test("an outlet takes machine and BMC off together, and says so", () => {
  const kernel = new Kernel({ seed: 1 });
  const fed = [true, true];
  const pdu = new Pdu(kernel, 2, (machine, on) => {
    fed[machine] = on;
  });
  const seen: string[] = [];
  pdu.handle({ kind: "off", machine: 1 }, () => undefined);
  kernel.runSync(2_000_000);
  pdu.handle({ kind: "read", machine: 1 }, (answer) => seen.push(answer.power));
  pdu.handle({ kind: "read", machine: 0 }, (answer) => seen.push(answer.power));
  kernel.runSync(4_000_000);
  assert.deepEqual(fed, [true, false]);
  assert.deepEqual(seen, ["Off", "On"]);
  pdu.serving = false;
  pdu.handle({ kind: "read", machine: 1 }, () => seen.push("answered without power"));
  kernel.runSync(60_000_000);
  assert.equal(seen.length, 2);
});

test("an Off that it showed of a running machine is known, until it has refused a command", () => {
  const { kernel, metal, bmc, ask } = bench();
  const never = Number.NEGATIVE_INFINITY;
  ask({ kind: "read" });
  assert.equal(bmc.falseOff_us, never, "On was shown");
  bmc.blind = true;
  assert.equal(ask({ kind: "read" })?.power, "Off");
  assert.ok(bmc.falseOff_us > 0 && bmc.falseOff_us <= kernel.now_us);
  assert.equal(ask({ kind: "reset", type: "ForceOff" })?.status, 503);
  assert.equal(bmc.falseOff_us, never);
  ask({ kind: "read" });
  assert.equal(bmc.falseOff_us, never, "who asked was refused, and knows better");
  bmc.blind = false;
  bmc.blind = true;
  metal.powered = false;
  ask({ kind: "read" });
  assert.equal(bmc.falseOff_us, never, "that Off is true");
});
