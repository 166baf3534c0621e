import type { Status } from "../agents/status/status.ts";
import { statusText } from "../agents/status/text.ts";
import { paint } from "./output.ts";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly power: boolean;
  readonly sshConfig?: string;
  readonly here?: boolean;
  readonly json?: boolean;
}

const width_default = 80;
const width_min = 40;
const width_max = 120;

/** For the terminal that is there. */
export function drawn(status: Status): string {
  const width = process.stdout.columns ?? width_default;
  return statusText(status, Math.max(width_min, Math.min(width, width_max)), (style, text) =>
    paint(style, text),
  );
}
