import assert from "node:assert/strict";
import { test } from "node:test";
import { planReset, resetTypes } from "./reset.ts";
import type { PowerState } from "./sequencer.ts";

const states: readonly PowerState[] = ["On", "Off", "PoweringOn", "PoweringOff"];

test("ForceOff is never refused and always ends in Off", () => {
  assert.deepEqual(
    states.map((state) => planReset("ForceOff", state)),
    [{ do: "steps", steps: ["off"] }, { do: "nothing" }, { do: "steps", steps: ["off"] }, { do: "stay off" }],
  );
});

test("On for what is on, and off for what is off, succeed and do nothing", () => {
  assert.deepEqual(planReset("On", "On"), { do: "nothing" });
  assert.deepEqual(planReset("ForceOn", "On"), { do: "nothing" });
  assert.deepEqual(planReset("On", "PoweringOn"), { do: "nothing" });
  assert.deepEqual(planReset("GracefulShutdown", "Off"), { do: "nothing" });
});

test("nothing but an explicit on or the button gives power to what is off", () => {
  const giving = resetTypes.filter((type) => planReset(type, "Off").do === "steps");
  assert.deepEqual(giving, ["On", "ForceOn", "PushPowerButton"]);
});

test("only ForceOff, ForceRestart and PowerCycle take power without asking the OS", () => {
  const taking = resetTypes.filter((type) => {
    const plan = planReset(type, "On");
    return plan.do === "steps" && plan.steps.includes("off");
  });
  assert.deepEqual(taking, ["ForceOff", "ForceRestart", "PowerCycle"]);
});

test("a restart of what is off is refused for that reason", () => {
  for (const type of ["ForceRestart", "PowerCycle", "GracefulRestart"] as const)
    assert.deepEqual(planReset(type, "Off"), { do: "refuse", why: "is off" });
});
