import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDuet } from "../../lab/build.ts";
import { now_ms } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { type BenchTable, quantile } from "../bench-table.ts";
import { checkout } from "../tree.ts";

export const about = "start-up of an agent: what Pacemaker pays for every monitor before any work is done";

const rounds = 30;

export async function measure(progress: Progress): Promise<BenchTable> {
  const duet = await buildDuet(progress);
  const folder = await mkdtemp(join(tmpdir(), "duet-bench-"));
  try {
    const agent = join(folder, "duet-agent");
    await symlink(duet, agent);
    const shell = await shellAgent(folder);
    await writeFile(join(folder, "empty.cjs"), "");
    const variants: Readonly<Record<string, readonly [string, ...string[]]>> = {
      "sh -c : (nothing at all)": ["sh", "-c", ":"],
      "shell agent, meta-data": [shell, "meta-data"],
      "duet executable under an agent's name": [agent, "--version"],
      "node, an empty script": [process.execPath, join(folder, "empty.cjs")],
      "node src/cli/main.ts (checkout)": [process.execPath, join(checkout, "src/cli/main.ts"), "--version"],
    };
    const times_ms = await progress.step(
      `${rounds} interleaved rounds`,
      async () => await interleave(variants),
    );
    return {
      title: about,
      columns: ["min_ms", "p50_ms", "p95_ms"],
      rows: Object.entries(times_ms).map(([name, all]) => ({
        name,
        values: { min_ms: Math.min(...all), p50_ms: quantile(all, 0.5), p95_ms: quantile(all, 0.95) },
      })),
      ratio: { of: "p50_ms", to: "shell agent, meta-data" },
      notes: ["Each time includes starting a process from Node, which the first row shows."],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Round by round, so that a busy moment of the box hits every variant. The first round warms the page cache. */
async function interleave(
  variants: Readonly<Record<string, readonly [string, ...string[]]>>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times_ms: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, argv] of Object.entries(variants)) {
      const start_ms = now_ms();
      await run(argv);
      if (round > 0) (times_ms[name] ??= []).push(now_ms() - start_ms);
    }
  }
  return times_ms;
}

/** An agent as they are written for the shell: a file of functions that it sources, defaults, a long meta-data text. */
async function shellAgent(folder: string): Promise<string> {
  const functions = Array.from({ length: 80 }, (_, n) => shellFunction(`ocf_helper_${n}`)).join("\n");
  const parameters = Array.from({ length: 25 }, (_, n) => parameter(`option_${n}`)).join("\n");
  await writeFile(join(folder, "functions"), `OCF_SUCCESS=0\nOCF_NOT_RUNNING=7\n${functions}`);
  const path = join(folder, "shell-agent");
  const lines = [
    "#!/bin/sh",
    `: "\${OCF_FUNCTIONS_DIR=${folder}}"`,
    '. "$OCF_FUNCTIONS_DIR/functions"',
    ...Array.from({ length: 25 }, (_, n) => `: "\${OCF_RESKEY_option_${n}=default}"`),
    "host=$(uname -n)",
    "meta_data() {",
    "cat <<END",
    '<?xml version="1.0"?>\n<resource-agent name="shell-agent" version="1.0">\n<parameters>',
    parameters,
    "</parameters>\n</resource-agent>",
    "END",
    "}",
    'case "$1" in',
    'meta-data) meta_data; exit "$OCF_SUCCESS" ;;',
    '*) echo "$host: unknown action" >&2; exit 3 ;;',
    "esac",
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  await chmod(path, 0o755);
  return path;
}

function shellFunction(name: string): string {
  return `${name}() {
  local wanted="$1" found=""
  case "$wanted" in
    yes|true|1|YES|TRUE|on|ON) found=yes ;;
    no|false|0|NO|FALSE|off|OFF) found=no ;;
    *) echo "${name}: $wanted is neither" >&2; return 6 ;;
  esac
  if [ "$found" = yes ] && [ -n "$OCF_RESKEY_option_1" ]; then
    return "$OCF_SUCCESS"
  fi
  return "$OCF_NOT_RUNNING"
}
`;
}

function parameter(name: string): string {
  return `<parameter name="${name}" unique="0" required="0">
<longdesc lang="en">What ${name} is for, in the words that an administrator reads.</longdesc>
<shortdesc lang="en">${name}</shortdesc>
<content type="string" default="$OCF_RESKEY_${name}"/>
</parameter>`;
}
