import { randomUUID } from "node:crypto";

export interface Task {
  readonly id: string;
  readonly name: string;
  readonly start_ms: number;
  readonly started: Date;
  readonly end_ms: number;
}

const tasks_max = 50;
/** Long enough to be seen running, short enough that a client believes it soon. */
const task_ms = 1_000;

/** Tasks of the fault `accepted-no-effect`: each completes after a moment, and nothing was done. */
export class Tasks {
  readonly #now_ms: () => number;
  #tasks: readonly Task[] = [];

  constructor(now_ms: () => number) {
    this.#now_ms = now_ms;
  }

  add(name: string): Task {
    const start_ms = this.#now_ms();
    const task = { id: randomUUID(), name, start_ms, started: new Date(), end_ms: start_ms + task_ms };
    this.#tasks = [...this.#tasks, task].slice(-tasks_max);
    return task;
  }

  all(): readonly Task[] {
    return this.#tasks;
  }

  find(id: string): Task | undefined {
    return this.#tasks.find((task) => task.id === id);
  }

  isDone(task: Task): boolean {
    return this.#now_ms() >= task.end_ms;
  }

  remove(id: string): void {
    this.#tasks = this.#tasks.filter((task) => task.id !== id);
  }
}
