import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readSite } from "./read.ts";
import { everything, minimal } from "./samples.ts";
import type { Alert, Endpoint, Kubernetes, Machine, Site } from "./site.ts";
import { siteTemplate } from "./template.ts";
import { writeSite } from "./write.ts";

const name = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
  .filter((text) => !["leader", "seat", "localhost"].includes(text));
const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));

/** Addresses that differ by construction: each takes its own number. */
const v4 = (number: number) => `198.51.100.${number}`;
const v6 = (middle: string, number: number) =>
  new URL(`https://[2001:db8:${middle}::${number}]`).hostname.slice(1, -1);
const path = fc.stringMatching(/^[A-Za-z0-9_./ $'"`#-]{1,20}$/).filter((text) => text.trim() === text);

const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true });

const trust: fc.Arbitrary<Endpoint["trust"]> = fc.oneof(
  fc.constant({ by: "system" } as const),
  fc.constant({ by: "nothing" } as const),
  plain({ by: fc.constant("ca" as const), file: path }),
  plain({ by: fc.constant("fingerprint" as const), sha256: fc.stringMatching(/^[0-9a-f]{64}$/) }),
);
const credentials: fc.Arbitrary<Endpoint["credentials"]> = fc.oneof(
  plain({ file: path }),
  plain({ env: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,10}$/) }),
);

const mail = fc.stringMatching(/^[a-z0-9][a-z0-9._+-]{0,10}@[a-z0-9]([a-z0-9.-]{0,10}[a-z0-9])?$/);
const alert: fc.Arbitrary<Alert> = fc.oneof(
  fc
    .record({
      url: fc.oneof(
        fc.constant("https://alerts.example/duet"),
        fc.constant("https://[2001:db8::10]:8443/a/b"),
        plain({ file: path }),
      ),
      headers: fc.option(path, { nil: undefined }),
      trust,
    })
    .map(({ url, headers, trust: by }) => ({
      by: "webhook" as const,
      url,
      ...(headers === undefined ? {} : { headers }),
      trust: by,
    })),
  fc
    .record({
      to: fc.array(mail, { minLength: 1, maxLength: 3 }),
      from: fc.option(mail, { nil: undefined }),
    })
    .map(({ to, from }) => ({ by: "mail" as const, to, ...(from === undefined ? {} : { from }) })),
  plain({ by: fc.constant("syslog" as const), facility: fc.constantFrom("daemon", "local0", "local7") }),
);

const image = fc.constantFrom(
  "localhost/hyperkube:lab",
  "registry.example:5000/a/b@sha256:".concat("a".repeat(64)),
);
const kubernetes = plain({
  version: fc.constantFrom("1.35.0", "1.36.3", "1.40.12"),
  names: fc.uniqueArray(fc.constantFrom("api.example", "192.0.2.77", "2001:db8::77"), { maxLength: 3 }),
  images: plain({
    apiserver: image,
    controller_manager: image,
    scheduler: image,
    proxy: image,
    dns: image,
    pause: image,
  }),
  part: fc.nat({ max: 250 }),
});

/** Any site that the file can describe. */
const site: fc.Arbitrary<Site> = fc
  .record({
    name,
    names: fc.uniqueArray(name, { minLength: 2, maxLength: 2 }),
    topology: fc.constantFrom("dual-replica", "pair", "single"),
    families: fc.array(fc.constantFrom(4, 6), { minLength: 1, maxLength: 2 }),
    middle: group,
    port: fc.integer({ min: 1, max: 65_535 }).filter((port) => port !== 443),
    endpoints: fc.array(plain({ trust, credentials }), { minLength: 4, maxLength: 4 }),
    system: fc.option(fc.constant("/redfish/v1/Systems/1"), { nil: undefined }),
    outlets: fc.nat({ max: 3 }),
    api: fc.boolean(),
    ssh_keys: fc.array(path, { minLength: 1, maxLength: 3 }),
    preferred: fc.nat({ max: 2 }),
    witness: fc.constantFrom("on", "off"),
    agent: fc.constantFrom("fence_duet", "fence_redfish"),
    stop_failure: fc.constantFrom("block", "fence"),
    test: fc.constantFrom("off", "setup"),
    token_ms: fc.integer({ min: 1000, max: 30_000 }),
    bmc_call_ms: fc.integer({ min: 2500, max: 60_000 }),
    fence_ms: fc.integer({ min: 120_000, max: 600_000 }),
    alerts: fc.array(alert, { maxLength: 4 }),
    kubernetes: fc.option(kubernetes, { nil: undefined }),
  })
  .map((given) => {
    const address = (family: 4 | 6, number: number) => (family === 4 ? v4(number) : v6(given.middle, number));
    const machines = given.names.slice(0, given.topology === "single" ? 1 : 2).map((each, index): Machine => {
      const [bmc = given.endpoints[0], pdu = given.endpoints[0]] = given.endpoints.slice(index * 2);
      assert.ok(bmc !== undefined && pdu !== undefined);
      return {
        name: each,
        addresses: given.families.map((family, link) => address(family, 10 * (link + 1) + index)),
        bmc: {
          url: `https://203.0.113.${index + 1}:${given.port}`,
          ...bmc,
          ...(given.system === undefined ? {} : { system: given.system }),
        },
        pdus: Array.from({ length: given.outlets }, (_, number) => ({
          url: `https://pdu${number % 2}.example`,
          ...pdu,
          outlet: `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A${index}-${number}`,
        })),
      };
    });
    return {
      name: given.name,
      topology: given.topology,
      machines,
      ssh_keys: given.ssh_keys,
      ...(given.kubernetes === undefined
        ? {}
        : { kubernetes: kubernetesOf(given.kubernetes, given.families[0] ?? 4) }),
      ...(given.api ? { api: { address: address(given.families[0] ?? 4, 99) } } : {}),
      fencing: {
        // The stock one can't check a fingerprint.
        agent: machines.some(({ bmc }) => bmc.trust.by === "fingerprint") ? "fence_duet" : given.agent,
        preferred: machines[given.preferred]?.name ?? "leader",
        stop_failure: given.stop_failure,
        test: given.test,
      },
      witness: given.witness,
      timeouts: { token_ms: given.token_ms, bmc_call_ms: given.bmc_call_ms, fence_ms: given.fence_ms },
      alerts: given.alerts,
    };
  });

function kubernetesOf(
  { part, ...given }: { readonly part: number } & Pick<Kubernetes, "version" | "names" | "images">,
  family: 4 | 6,
): Kubernetes {
  const networks =
    family === 4
      ? { pods: `10.${part}.0.0/16`, services: `172.16.${part}.0/24` }
      : { pods: `fd00:${(part + 1).toString(16)}::/48`, services: "fd00:ffff::/112" };
  return { ...given, ...networks };
}

test("any site reads back from the file that it is written to", () => {
  fc.assert(
    fc.property(site, (each) => {
      assert.deepEqual(readSite(writeSite(each), "site.yaml"), { site: each, problems: [] });
    }),
  );
});

test("the file that duet init writes reads back as what was answered", () => {
  fc.assert(
    fc.property(site, (each) => {
      const text = siteTemplate({
        name: each.name,
        topology: each.topology,
        ssh_keys: each.ssh_keys,
        machines: each.machines.map(({ name, addresses, bmc }) => ({
          name,
          addresses,
          bmc: bmc.url,
          credentials: bmc.credentials,
        })),
        ...(each.api === undefined ? {} : { api: each.api.address }),
      });
      const read = readSite(text, "site.yaml");
      assert.deepEqual(read.problems, []);
      assert.equal(read.site?.name, each.name);
      assert.deepEqual(read.site?.ssh_keys, each.ssh_keys);
      assert.deepEqual(
        read.site?.machines.map(({ name, addresses, bmc }) => [name, addresses, bmc.url, bmc.credentials]),
        each.machines.map(({ name, addresses, bmc }) => [name, addresses, bmc.url, bmc.credentials]),
      );
    }),
  );
});

/** Lines of a file that hold a key, with that key. */
function keyLines(text: string): readonly { readonly line: number; readonly key: string }[] {
  return text.split("\n").flatMap((each, index) => {
    const key = /^\s*(?:- )?(\w+):/.exec(each)?.[1];
    return key === undefined ? [] : [{ line: index + 1, key }];
  });
}

const lineOf = (where: string): number => Number(where.split(":").at(-2));
const sample = fc.constantFrom(minimal, everything);

test("a misspelt key is told at its line", () => {
  fc.assert(
    fc.property(sample, fc.nat(), fc.nat(), fc.stringMatching(/^[a-z_]$/), (text, which, where, letter) => {
      const lines = keyLines(text);
      const chosen = lines[which % lines.length];
      assert.ok(chosen !== undefined);
      const cut = where % chosen.key.length;
      const wrong = chosen.key.slice(0, cut) + letter + chosen.key.slice(cut + 1);
      fc.pre(wrong !== chosen.key);
      const broken = text
        .split("\n")
        .map((each, index) =>
          index === chosen.line - 1 ? each.replace(`${chosen.key}:`, `${wrong}:`) : each,
        )
        .join("\n");
      const { problems } = readSite(broken, "site.yaml");
      assert.ok(
        problems.some((problem) => lineOf(problem.where) === chosen.line),
        broken,
      );
    }),
  );
});

test("a key written twice is told at the second", () => {
  fc.assert(
    fc.property(sample, fc.nat(), (text, which) => {
      const lines = text.split("\n");
      // Keys with their value on the same line, and not the first of a list entry: that would be another entry.
      const single = keyLines(text).filter(
        ({ line, key }) =>
          !(lines[line - 1] ?? "").endsWith(`${key}:`) && !/^\s*- /.test(lines[line - 1] ?? ""),
      );
      const chosen = single[which % single.length];
      assert.ok(chosen !== undefined);
      const broken = lines.toSpliced(chosen.line, 0, lines[chosen.line - 1] ?? "").join("\n");
      const { problems } = readSite(broken, "site.yaml");
      assert.deepEqual(
        problems.map((problem) => `${lineOf(problem.where)} ${problem.code}`),
        [`${chosen.line + 1} DUET-E-SITE-DUPLICATE-KEY`],
      );
    }),
  );
});

test("a required key that is dropped is told at the mapping that misses it", () => {
  const required: Readonly<Record<string, number>> = {
    topology: 1,
    ssh_key: 1,
    addresses: 5,
    address: 7,
    credentials: 7,
  };
  for (const [key, line] of Object.entries(required)) {
    const lines = minimal.split("\n");
    const at = lines.findIndex((each) => each.trimStart().startsWith(`${key}:`));
    const { problems } = readSite(lines.toSpliced(at, 1).join("\n"), "site.yaml");
    assert.deepEqual(
      problems.map((problem) => `${lineOf(problem.where)} ${problem.code}`),
      [`${line} DUET-E-SITE-MISSING-KEY`],
      key,
    );
  }
});

test("no text whatever makes readSite throw", () => {
  const yamlish = fc
    .array(
      fc.constantFrom(
        "- ",
        ": ",
        "\n",
        "  ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "<<",
        "!!set ",
        "? ",
        "| ",
        "'",
        '"',
        "#",
        "---\n",
        "name",
        "machines",
        "bmc",
        "\t",
        "null",
        "1",
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join(""));
  const mangled = fc
    .record({ text: sample, from: fc.nat(), length: fc.nat({ max: 40 }), put: yamlish })
    .map(({ text, from, length, put }) => {
      const at = from % text.length;
      return text.slice(0, at) + put + text.slice(at + length);
    });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200 }),
        fc.string({ unit: "binary", maxLength: 200 }),
        yamlish,
        mangled,
      ),
      (text) => {
        const { site, problems } = readSite(text, "site.yaml");
        assert.equal(site === undefined, problems.length > 0);
        for (const { where } of problems) assert.match(where, /^site\.yaml:[1-9]\d*:[1-9]\d*$/);
      },
    ),
    { numRuns: 1000 },
  );
});

test("a password in any place of the file is never repeated", () => {
  const password = "hunter2-Tr0ub4dor";
  const forms = fc.constantFrom(
    password,
    `admin:${password}`,
    `https://admin:${password}@203.0.113.9`,
    `"${password}"`,
    `{ password: ${password} }`,
    `{ ${password}: x }`,
    `[${password}]`,
    `!${password}`,
    `*${password}`,
    `'${password}`,
    `- ${password}`,
    `${password}: x`,
    `pass: ${password}`,
  );
  fc.assert(
    fc.property(sample, fc.nat(), forms, fc.boolean(), (text, which, form, as_key) => {
      const lines = text.split("\n").slice(0, -1);
      const at = which % lines.length;
      const broken = lines
        .map((each, index) => {
          if (index !== at) return each;
          return as_key ? each.replace(/\w+:/, `${form}:`) : each.replace(/:\s.*$|:$/, `: ${form}`);
        })
        .join("\n");
      const { problems } = readSite(broken, "site.yaml");
      assert.ok(!JSON.stringify(problems).includes(password), broken);
    }),
    { numRuns: 500 },
  );
});
