import type { JsonObject } from "./json.ts";
import { errorBody, type Message, message, type MessageId } from "./message.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | Text;
  /** Runs once the answer is on the wire: a manager that restarts must say yes first. */
  readonly after?: () => void;
}

export class Text {
  readonly type: string;
  readonly content: string;
  constructor(type: string, content: string) {
    this.type = type;
    this.content = content;
  }
}

/** Thrown anywhere below the service: the request ends with this answer, and nothing was changed. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.name = "Refusal";
    this.answer = answer;
  }
}

export const errorAnswer = (
  status: number,
  messages: readonly Message[],
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ status, headers, body: errorBody(messages) });

export function refuse(status: number, id: MessageId, ...args: readonly string[]): never {
  throw new Refusal(errorAnswer(status, [message(id, args)]));
}

export function refuseAll(status: number, messages: readonly Message[]): never {
  throw new Refusal(errorAnswer(status, messages));
}

export const noContent: Answer = { status: 204 };
