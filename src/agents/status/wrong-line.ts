import { pageOf } from "./page.ts";
import { type Saying, valueOf } from "./report.ts";
import type { MachineStatus, Status, Wrong } from "./status.ts";

export type Judged = Omit<Status, "wrong">;

export const wrong = (code: string, where: string, what: string, fix: string): Wrong => ({
  code,
  where,
  what,
  fix,
  page: pageOf(code),
});

export const bySaying = (name: string, { rule, sentence }: Saying, fix: string): Wrong =>
  wrong(rule, name, sentence, fix);

export const isOnStandby = ({ pacemaker }: MachineStatus): boolean => valueOf(pacemaker) === "standby";
