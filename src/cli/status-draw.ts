import type { Status } from "../agents/status/status.ts";
import { statusText } from "../agents/status/text.ts";
import { paint } from "./output.ts";
import { terminalWidth } from "./width.ts";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly power: boolean;
  readonly sshConfig?: string;
  readonly here?: boolean;
  readonly json?: boolean;
}

/** For the terminal that is there. */
export const drawn = (status: Status): string =>
  statusText(status, terminalWidth(), (style, text) => paint(style, text));
