import { link, listed } from "../core/endpoint.ts";
import { at, type Route } from "../core/router.ts";
import { accepted, taskPath, taskProperties } from "../server/accepted.ts";
import type { Tasks } from "../server/tasks.ts";

const service = "/redfish/v1/TaskService";

export function taskRoutes(tasks: Tasks): readonly Route[] {
  const found = (id: string | undefined) => (id === undefined ? undefined : tasks.find(id));
  return [
    at(service, {
      kind: "resource",
      id: service,
      schema: "TaskService",
      read: () => ({
        Id: "TaskService",
        Name: "Task Service",
        Status: { State: "Enabled", Health: "OK" },
        ServiceEnabled: true,
        CompletedTaskOverWritePolicy: "Oldest",
        Tasks: link(`${service}/Tasks`),
      }),
    }),
    at(`${service}/Tasks`, {
      kind: "resource",
      id: `${service}/Tasks`,
      schema: "TaskCollection",
      read: () => listed("Tasks", tasks.all().map(taskPath)),
    }),
    {
      path: `${service}/Tasks/{}`,
      find: (id) => {
        const task = found(id);
        return (
          task && {
            kind: "resource",
            id: taskPath(task),
            schema: "Task",
            write: "ConfigureManager",
            read: () => taskProperties(tasks, task),
            remove: async () => {
              tasks.remove(task.id);
            },
          }
        );
      },
    },
    {
      // 202 while the task runs, then what the operation itself would have answered.
      path: `${service}/TaskMonitors/{}`,
      find: (id) => {
        const task = found(id);
        return (
          task && {
            kind: "document",
            type: "application/json",
            get: () => (tasks.isDone(task) ? { status: 204 } : accepted(task)),
          }
        );
      },
    },
  ];
}
