import type { Answer } from "../core/answer.ts";
import { link } from "../core/endpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { odataType } from "../core/schema.ts";
import type { Task, Tasks } from "./tasks.ts";

export const taskPath = (task: Task): string => `/redfish/v1/TaskService/Tasks/${task.id}`;
export const monitorPath = (task: Task): string => `/redfish/v1/TaskService/TaskMonitors/${task.id}`;

export function taskProperties(tasks: Tasks, task: Task): JsonObject {
  const done = tasks.isDone(task);
  return {
    Id: task.id,
    Name: task.name,
    TaskState: done ? "Completed" : "Running",
    TaskStatus: "OK",
    StartTime: task.started.toISOString(),
    ...(done
      ? { EndTime: new Date(task.started.getTime() + task.end_ms - task.start_ms).toISOString() }
      : {}),
    PercentComplete: done ? 100 : 0,
    TaskMonitor: monitorPath(task),
    Messages: [],
  };
}

/** 202: it will be done, look there. */
export const accepted = (task: Task): Answer => ({
  status: 202,
  headers: { location: monitorPath(task), "retry-after": "1" },
  body: {
    ...link(taskPath(task)),
    "@odata.type": odataType("Task"),
    Id: task.id,
    Name: task.name,
    TaskState: "Running",
    TaskStatus: "OK",
    TaskMonitor: monitorPath(task),
  },
});
