import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "./read.ts";
import { everything, minimal, withLine } from "./samples.ts";

/** `line:column code`, for each problem. */
function told(text: string): readonly string[] {
  return readSite(text, "site.yaml").problems.map((problem) => {
    assert.ok(problem.what !== "" && problem.fix !== "", problem.code);
    return `${problem.where.replace("site.yaml:", "")} ${problem.code.replace("DUET-E-SITE-", "")}`;
  });
}

test("a minimal file is under 20 lines and gets every default", () => {
  assert.ok(minimal.split("\n").length < 20);
  const { site } = readSite(minimal, "site.yaml");
  assert.deepEqual(site, {
    name: "shop-0042",
    topology: "dual-replica",
    ssh_keys: ["admin.pub"],
    machines: [
      {
        name: "node1",
        addresses: ["192.0.2.11", "198.51.100.11"],
        bmc: { url: "https://203.0.113.11", credentials: { file: "node1.bmc" }, trust: { by: "system" } },
        pdus: [],
      },
      {
        name: "node2",
        addresses: ["192.0.2.12", "198.51.100.12"],
        bmc: { url: "https://203.0.113.12", credentials: { env: "NODE2_BMC" }, trust: { by: "system" } },
        pdus: [],
      },
    ],
    fencing: { agent: "fence_duet", preferred: "node1", stop_failure: "block", test: "off" },
    witness: "on",
    timeouts: { token_ms: 1500, bmc_call_ms: 8000, fence_ms: 60_000 },
    alerts: [],
  });
});

test("a file with every key is read, addresses in canonical form", () => {
  const { site, problems } = readSite(everything, "site.yaml");
  assert.deepEqual(problems, []);
  assert.deepEqual(
    site?.machines.map((machine) => machine.addresses[0]),
    ["2001:db8::11", "2001:db8::12"],
  );
  assert.deepEqual(site?.machines[0]?.bmc, {
    url: "https://[2001:db8:2::11]:8443",
    credentials: { file: "secrets/bow.bmc" },
    trust: { by: "fingerprint", sha256: "abcdef0123456789".repeat(4) },
    system: "/redfish/v1/Systems/1",
  });
  assert.deepEqual(site?.machines[0]?.pdus[0]?.trust, { by: "ca", file: "site-ca.pem" });
  assert.deepEqual(site?.machines[1]?.bmc.trust, { by: "nothing" });
  assert.deepEqual(site?.api, { address: "2001:db8::10" });
  assert.deepEqual(site?.fencing, {
    agent: "fence_duet",
    preferred: "leader",
    stop_failure: "fence",
    test: "setup",
  });
  assert.equal(site?.witness, "off");
  assert.deepEqual(site?.timeouts, { token_ms: 2000, bmc_call_ms: 1500, fence_ms: 120_000 });
});

test("the stock fence agent is chosen by its name, and refused where a BMC is known by its fingerprint", () => {
  const stock = "fencing: { agent: fence_redfish }\n";
  assert.equal(readSite(`${minimal}${stock}`, "site.yaml").site?.fencing.agent, "fence_redfish");
  const pinned = minimal.replace(
    "      credentials: { env: NODE2_BMC }",
    `      credentials: { env: NODE2_BMC }\n      trust: { fingerprint: "${"ab".repeat(32)}" }`,
  );
  assert.equal(readSite(pinned, "site.yaml").problems.length, 0);
  const { problems } = readSite(`${pinned}${stock}`, "site.yaml");
  assert.deepEqual(
    problems.map(({ code, where }) => `${code} ${where}`),
    ["DUET-E-SITE-TRUST site.yaml:15:29"],
  );
  const other = readSite(`${minimal}fencing: { agent: fence_ipmilan }\n`, "site.yaml").problems;
  assert.deepEqual(
    other.map(({ code }) => code),
    ["DUET-E-SITE-CHOICE"],
  );
});

test("a short fence leaves a call half of it, where no call is written", () => {
  const calls_ms = (timeouts: string) =>
    readSite(`${minimal}timeouts: { ${timeouts} }\n`, "site.yaml").site?.timeouts.bmc_call_ms;
  assert.equal(calls_ms("fence: 9s"), 4_500);
  assert.equal(calls_ms("fence: 5001ms"), 2_500);
  assert.equal(calls_ms("fence: 2m"), 8_000);
  assert.equal(calls_ms("fence: 9s, bmc_call: 2s"), 2_000);
});

test("the machine whose name sorts first is preferred, whatever the order in the file", () => {
  const swapped = minimal.replace("node1\n", "zeta\n").replace("node2\n", "alpha\n");
  assert.equal(readSite(swapped, "site.yaml").site?.fencing.preferred, "alpha");
});

test("pair and single are sites too", () => {
  assert.deepEqual(told(minimal.replace("dual-replica", "pair")), []);
  const one = minimal.split("\n").slice(0, 9).join("\n").replace("dual-replica", "single");
  assert.deepEqual(told(one), []);
  assert.deepEqual(told(minimal.replace("dual-replica", "single")), ["10:5 MACHINES"]);
});

/** Name, the file, every problem with its exact place. */
const bad: readonly (readonly [string, string, readonly string[]])[] = [
  ["an empty file", "", ["1:1 TYPE"]],
  ["a list in place of the file", "- a\n", ["1:1 TYPE"]],
  ["a file that is too long", `#${"x".repeat(40_000)}\n${minimal}`, ["1:1 SIZE"]],
  ["a bracket never closed", withLine(minimal, 6, "    addresses: [192.0.2.11"), ["6:16 SYNTAX"]],
  ["a quote never closed", withLine(minimal, 3, 'ssh_key: "admin.pub'), ["3:10 SYNTAX"]],
  ["no space after a colon", withLine(minimal, 2, "topology:dual-replica"), ["2:1 SYNTAX"]],
  ["a word by itself", withLine(minimal, 2, "dual-replica"), ["2:1 SYNTAX"]],
  ["a colon with a space in a value", withLine(minimal, 1, "name: shop: 42"), ["1:1 SYNTAX"]],
  [
    "lists in place of mappings",
    "name: a\nbmc: [1]\nmachines: [[1]]\napi: []\n",
    ["1:1 MISSING-KEY", "1:1 MISSING-KEY", "2:1 UNKNOWN-KEY", "3:12 TYPE", "4:6 TYPE"],
  ],
  [
    "a key too far right below a name",
    withLine(minimal, 6, "      addresses: [192.0.2.11, 198.51.100.11]"),
    ["6:7 INDENT"],
  ],
  ["a key too far right below a plain value", withLine(minimal, 3, "  ssh_key: admin.pub"), ["3:3 INDENT"]],
  ["a list entry too far left", withLine(minimal, 10, " - name: node2"), ["10:2 INDENT"]],
  ["a list entry too far right", withLine(minimal, 10, "   - name: node2"), ["10:4 INDENT"]],
  ["brackets without end", "[".repeat(20_000), ["1:1 SYNTAX"]],
  [
    "an IPv6 address with a port, without quotes",
    withLine(minimal, 8, "      address: [2001:db8::11]:8443"),
    ["8:30 SYNTAX"],
  ],
  ["two documents", `${minimal}---\n${minimal}`, ["15:1 SYNTAX"]],
  ["a key too far right", withLine(minimal, 7, "      bmc:"), ["7:7 INDENT"]],
  ["a key too far left", withLine(minimal, 6, "   addresses: [192.0.2.11, 198.51.100.11]"), ["6:4 INDENT"]],
  ["a tab", withLine(minimal, 6, "\taddresses: [192.0.2.11, 198.51.100.11]"), ["6:2 INDENT"]],
  [
    "keys that belong further in",
    minimal.replace(
      "      address: https://203.0.113.11\n      cred",
      "    address: https://203.0.113.11\n    cred",
    ),
    ["8:5 INDENT"],
  ],
  [
    "a key that belongs further out",
    minimal.replace(/ {4}addresses: (.*12\]\n)([^]*)$/, "$2      addresses: $1"),
    ["14:7 INDENT"],
  ],
  ["a time-out beside its group", `${minimal}timeouts:\ntoken: 2s\n`, ["16:1 INDENT"]],
  ["an unknown key", withLine(minimal, 2, "topolgy: dual-replica"), ["2:1 UNKNOWN-KEY"]],
  [
    "an unknown key of a machine",
    withLine(minimal, 6, "    address: [192.0.2.11, 198.51.100.11]"),
    ["6:5 UNKNOWN-KEY"],
  ],
  [
    "a key that exists on every object",
    `${minimal}constructor: x\n__proto__: y\n`,
    ["15:1 UNKNOWN-KEY", "16:1 UNKNOWN-KEY"],
  ],
  ["a key twice", `${minimal}name: other\n`, ["15:1 DUPLICATE-KEY"]],
  [
    "an alias",
    withLine(withLine(minimal, 5, "  - name: &a node1"), 10, "  - name: *a"),
    ["5:14 YAML-FEATURE", "10:11 YAML-FEATURE"],
  ],
  ["a merge key", withLine(minimal, 3, "ssh_key: admin.pub\n<<: { witness: off }"), ["4:1 YAML-FEATURE"]],
  ["a tag", withLine(minimal, 1, "name: !!str shop"), ["1:13 YAML-FEATURE"]],
  ["a missing key", withLine(minimal, 3), ["1:1 MISSING-KEY"]],
  ["a missing key of a machine", withLine(minimal, 11), ["10:5 MISSING-KEY"]],
  ["a missing key of a BMC", withLine(minimal, 8), ["7:5 MISSING-KEY"]],
  ["a value left out", withLine(minimal, 1, "name:"), ["1:6 TYPE"]],
  ["a number for a name", withLine(minimal, 1, "name: 42"), ["1:7 TYPE"]],
  ["an address in place of the list", withLine(minimal, 6, "    addresses: 192.0.2.11"), ["6:16 TYPE"]],
  ["another topology", withLine(minimal, 2, "topology: triple"), ["2:11 CHOICE"]],
  ["witness as a truth value", `${minimal}witness: true\n`, ["15:10 CHOICE"]],
  ["a name over 63 characters", withLine(minimal, 5, `  - name: ${"n".repeat(64)}`), ["5:11 NAME"]],
  ["a name with capitals", withLine(minimal, 5, "  - name: Node1"), ["5:11 NAME"]],
  ["a name with a dot", withLine(minimal, 5, "  - name: node1.example"), ["5:11 NAME"]],
  ["a name that duet uses", withLine(minimal, 5, "  - name: leader"), ["5:11 NAME"]],
  [
    "an address that is none",
    withLine(minimal, 6, "    addresses: [192.0.2.11, 198.51.100.300]"),
    ["6:29 ADDRESS"],
  ],
  [
    "an address with a prefix length",
    withLine(minimal, 6, "    addresses: [192.0.2.11/24, 198.51.100.11]"),
    ["6:17 ADDRESS"],
  ],
  ["loopback", withLine(minimal, 6, "    addresses: [127.0.0.1, 198.51.100.11]"), ["6:17 ADDRESS"]],
  [
    "no address",
    withLine(withLine(minimal, 6, "    addresses: []"), 11, "    addresses: []"),
    ["6:16 LINKS", "11:16 LINKS"],
  ],
  [
    "three links",
    withLine(minimal, 6, "    addresses: [192.0.2.11, 198.51.100.11, 192.0.2.13]"),
    ["6:16 LINKS", "11:16 LINKS"],
  ],
  ["one link here, two there", withLine(minimal, 11, "    addresses: [192.0.2.12]"), ["11:16 LINKS"]],
  [
    "two families on one link",
    withLine(minimal, 11, "    addresses: [2001:db8::12, 198.51.100.12]"),
    ["11:17 FAMILY"],
  ],
  ["an API of a family that nobody has", `${minimal}api: { address: 2001:db8::10 }\n`, ["15:17 FAMILY"]],
  ["http", withLine(minimal, 8, "      address: http://203.0.113.11"), ["8:16 ENDPOINT"]],
  [
    "a path behind the BMC's address",
    withLine(minimal, 8, "      address: https://203.0.113.11/redfish/v1"),
    ["8:16 ENDPOINT"],
  ],
  ["no address of a BMC", withLine(minimal, 8, "      address: https://203.0.113"), ["8:16 ENDPOINT"]],
  [
    "a password as a key",
    withLine(minimal, 9, "      credentials: { username: admin, password: hunter2 }"),
    ["9:39 PASSWORD"],
  ],
  [
    "a password beside the credentials",
    withLine(minimal, 9, "      credentials: { file: a.bmc }\n      bmc_password: hunter2"),
    ["10:7 PASSWORD"],
  ],
  [
    "a password in place of the credentials",
    withLine(minimal, 9, "      credentials: admin:hunter2"),
    ["9:20 PASSWORD"],
  ],
  [
    "a password in a URL",
    withLine(minimal, 8, "      address: https://admin:hunter2@203.0.113.11"),
    ["8:16 PASSWORD"],
  ],
  [
    "a password in an address without https",
    withLine(minimal, 8, "      address: admin:hunter2@203.0.113.11"),
    ["8:16 PASSWORD"],
  ],
  [
    "a password in place of the file's name",
    withLine(minimal, 9, "      credentials: { file: 'admin:hunter2' }"),
    ["9:28 PATH"],
  ],
  [
    "a token that is none of Corosync's",
    withLine(minimal, 9, "      credentials: { token: hunter2 }"),
    ["9:22 PASSWORD"],
  ],
  [
    "file and variable",
    withLine(minimal, 9, "      credentials: { file: a.bmc, env: A }"),
    ["9:20 CREDENTIALS"],
  ],
  ["neither file nor variable", withLine(minimal, 9, "      credentials: {}"), ["9:20 CREDENTIALS"]],
  [
    "a variable with a blank",
    withLine(minimal, 9, "      credentials: { env: my password }"),
    ["9:27 CREDENTIALS"],
  ],
  ["a key in place of its file", withLine(minimal, 3, "ssh_key: { rsa: AAAA }"), ["3:10 PATH"]],
  ["a home folder", withLine(minimal, 3, "ssh_key: ~/.ssh/id_rsa.pub"), ["3:10 PATH"]],
  [
    "a fingerprint that is short",
    withLine(minimal, 9, "      credentials: { file: a.bmc }\n      trust: { fingerprint: abcd }"),
    ["10:29 TRUST"],
  ],
  [
    "two kinds of trust",
    withLine(minimal, 9, "      credentials: { file: a.bmc }\n      trust: { ca: a.pem, nothing: true }"),
    ["10:14 TRUST"],
  ],
  [
    "trust in nothing, not really",
    withLine(minimal, 9, "      credentials: { file: a.bmc }\n      trust: { nothing: false }"),
    ["10:25 TRUST"],
  ],
  [
    "a System by its name",
    withLine(minimal, 9, "      credentials: { file: a.bmc }\n      system: '1'"),
    ["10:15 REDFISH-PATH"],
  ],
  ["one machine", minimal.split("\n").slice(0, 9).join("\n"), ["4:1 MACHINES"]],
  [
    "three machines",
    `${minimal}  - name: node3\n    addresses: [192.0.2.13, 198.51.100.13]\n    bmc: { address: 203.0.113.13, credentials: { env: C } }\n`,
    ["15:5 MACHINES"],
  ],
  ["a name twice", withLine(minimal, 10, "  - name: node1"), ["10:11 DUPLICATE-NAME"]],
  [
    "an address twice",
    withLine(minimal, 11, "    addresses: [192.0.2.12, 192.0.2.11]"),
    ["11:29 DUPLICATE-ADDRESS"],
  ],
  [
    "a BMC at a machine's address",
    withLine(minimal, 13, "      address: 192.0.2.11"),
    ["13:16 DUPLICATE-ADDRESS"],
  ],
  ["an API at a BMC's address", `${minimal}api: { address: 203.0.113.12 }\n`, ["15:17 DUPLICATE-ADDRESS"]],
  ["one BMC for both", withLine(minimal, 13, "      address: 203.0.113.11:443"), ["13:16 SHARED-BMC"]],
  ["somebody else preferred", `${minimal}fencing: { preferred: node3 }\n`, ["15:23 PREFERRED"]],
  ["a time without its unit", `${minimal}timeouts: { token: 1500 }\n`, ["15:20 DURATION"]],
  ["a token that is too short", `${minimal}timeouts: { token: 500ms }\n`, ["15:20 DURATION"]],
  ["a fence that is too long", `${minimal}timeouts: { fence: 11m }\n`, ["15:20 DURATION"]],
  [
    "a fence shorter than two calls",
    `${minimal}timeouts: { fence: 8s, bmc_call: 5s }\n`,
    ["15:20 FENCE-TIME"],
  ],
  [
    "a PDU without an outlet",
    withLine(
      minimal,
      14,
      "      credentials: { env: A }\n    pdu: { address: pdu, credentials: { env: B } }",
    ),
    ["15:5 MISSING-KEY"],
  ],
];

for (const [name, text, expected] of bad)
  test(`refused: ${name}`, () => {
    assert.deepEqual(told(text), expected);
  });

test("one IPv6 address in two spellings is one address", () => {
  const text = everything.replace("2001:DB8::12", "2001:0db8:0:0::0011");
  assert.deepEqual(told(text), ["18:17 DUPLICATE-ADDRESS"]);
});

test("addresses are compared exactly: 10.0.0.1 is not 10.0.0.10, node1 is not node10", () => {
  const text = minimal.replaceAll("192.0.2.11", "10.0.0.1").replaceAll("192.0.2.12", "10.0.0.10");
  assert.deepEqual(told(text.replace("node2\n", "node10\n")), []);
});

test("two BMCs behind one address with two ports are two BMCs; one outlet for both machines is refused", () => {
  assert.deepEqual(told(withLine(minimal, 13, "      address: 203.0.113.11:8443")), []);
  assert.deepEqual(told(everything.replace("Outlets/A2", "Outlets/A1")), ["24:18 SHARED-OUTLET"]);
});

test("every fault of a file is told at once, in the order of the lines", () => {
  const text = withLine(
    withLine(withLine(minimal, 2, "topolgy: dual-replica"), 10, "  - name: node1"),
    13,
    "      address: http://x",
  );
  assert.deepEqual(told(`${text}api: { address: 192.0.2.12 }\n`), [
    "2:1 UNKNOWN-KEY",
    "10:11 DUPLICATE-NAME",
    "13:16 ENDPOINT",
    "15:17 DUPLICATE-ADDRESS",
  ]);
});

const fix = (text: string) => readSite(text, "site.yaml").problems[0]?.fix ?? "";

test("the fix names what was probably meant", () => {
  assert.match(fix(withLine(minimal, 2, "topolgy: dual-replica")), /`topology`/);
  assert.match(fix(withLine(minimal, 6, "    adresses: [192.0.2.11, 198.51.100.11]")), /`addresses`/);
  assert.match(fix(withLine(minimal, 8, "      address: [2001:db8::11]:8443")), /quotes/);
  assert.match(fix(withLine(minimal, 8, "      address: http://203.0.113.11")), /https:\/\//);
});

test("a file of nothing but faults gets a bounded answer", () => {
  const keys = Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join("\n");
  assert.equal(readSite(keys, "site.yaml").problems.length, 50);
});
