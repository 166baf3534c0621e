import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "./read.ts";
import { everything, minimal } from "./samples.ts";

const told = (alerts: string): readonly string[] =>
  readSite(`${minimal}${alerts}`, "site.yaml").problems.map(
    ({ where, code }) => `${where.split(":").slice(-2).join(":")} ${code.replace("DUET-E-SITE-", "")}`,
  );

test("every way to tell somebody is read, with its defaults", () => {
  assert.deepEqual(readSite(minimal, "site.yaml").site?.alerts, []);
  assert.deepEqual(readSite(everything, "site.yaml").site?.alerts, [
    {
      by: "webhook",
      url: "https://alerts.example/duet",
      headers: "secrets/hook.headers",
      trust: { by: "ca", file: "hook-ca.pem" },
    },
    { by: "webhook", url: { file: "secrets/chat.url" }, trust: { by: "system" } },
    { by: "mail", to: ["ops@example.org", "night@example.org"], from: "duet@example.org" },
    { by: "syslog", facility: "local0" },
  ]);
  const { site } = readSite(`${minimal}alerts: [{ mail: { to: a@example.org } }, { syslog: {} }]\n`, "x");
  assert.deepEqual(site?.alerts, [
    { by: "mail", to: ["a@example.org"] },
    { by: "syslog", facility: "daemon" },
  ]);
});

const hook = (keys: string) => `alerts:\n  - webhook: { ${keys} }\n`;

/** What is written, and every problem with its exact place. */
const bad: readonly (readonly [string, string, readonly string[]])[] = [
  ["a mapping in place of the list", "alerts: { syslog: {} }\n", ["15:9 ALERTS"]],
  ["a word", "alerts: syslog\n", ["15:9 ALERTS"]],
  ["an entry with nothing", "alerts: [{}]\n", ["15:10 ALERTS"]],
  ["two ways in one entry", "alerts:\n  - syslog: {}\n    mail: { to: a@b.example }\n", ["16:5 ALERTS"]],
  ["a way that is not known", "alerts:\n  - webhok: { url: https://x.example }\n", ["16:5 UNKNOWN-KEY"]],
  ["a webhook without an address", hook("headers: x"), ["16:14 ALERTS"]],
  ["a webhook with two addresses", hook("url: https://x.example, url_file: y"), ["16:14 ALERTS"]],
  ["plain HTTP", hook("url: http://x.example/a"), ["16:21 ALERTS"]],
  ["a query", hook("url: https://x.example/a?token=1"), ["16:21 ALERTS"]],
  ["no address", hook("url: hooks"), ["16:21 ALERTS"]],
  ["a login in the address", hook("url: https://me:pw@x.example/a"), ["16:21 PASSWORD"]],
  ["a header in the file itself", hook("url: https://x.example, auth_token: abc"), ["16:40 PASSWORD"]],
  ["trust that names nothing", hook("url: https://x.example, trust: {}"), ["16:47 TRUST"]],
  ["mail to nobody", "alerts:\n  - mail: { from: a@b.example }\n", ["16:5 MISSING-KEY"]],
  ["mail to a name", "alerts:\n  - mail: { to: ops }\n", ["16:17 ALERTS"]],
  ["an address that is an option", "alerts:\n  - mail: { to: -oQ@b.example }\n", ["16:17 ALERTS"]],
  ["an address with a header", 'alerts:\n  - mail: { to: "a@b.example\\nBcc: c@d" }\n', ["16:17 ALERTS"]],
  ["a facility of the kernel's", "alerts:\n  - syslog: { facility: kern }\n", ["16:25 ALERTS"]],
  [
    "everything at once",
    "alerts:\n  - webhook: { url: http://x.example }\n  - mail: { to: ops, cc: x }\n  - syslog: { facility: lokal0 }\n",
    ["16:21 ALERTS", "17:17 ALERTS", "17:22 UNKNOWN-KEY", "18:25 ALERTS"],
  ],
  ["too many", `alerts:\n${"  - syslog: {}\n".repeat(17)}`, ["16:3 ALERTS"]],
];

for (const [name, text, problems] of bad)
  test(`refused: ${name}`, () => {
    assert.deepEqual(told(text), problems);
  });

test("a secret in an alert is not repeated, and its way out is the alert's own", () => {
  const { problems } = readSite(`${minimal}${hook("url: https://x.example, bearer_token: s3cr3t")}`, "x");
  assert.doesNotMatch(JSON.stringify(problems), /s3cr3t/);
  assert.match(problems[0]?.fix ?? "", /`headers`/);
});
