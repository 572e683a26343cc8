/** Follows the tasks of an earlier process whose results did not come yet, as soon as their server is connected. */
import type { Task, TaskMemory } from '../../client/api/tasks.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { InspectedClient } from './inspected-client.ts';
import type { Runs } from './runs.ts';

export async function resumeTasks(client: InspectedClient, memory: TaskMemory, runs: Runs): Promise<void> {
  const remembered = await memory.read();
  if (remembered.length === 0) return;
  const tasks = await client.client.tasks.list().all().catch(withoutTasks);
  const followed = new Set(runs.all.map(({ task, request }) => (request.kind === 'task' ? request : task)?.taskId));
  for (const task of tasks) {
    const tool = remembered.find(({ taskId }) => taskId === task.taskId)?.tool;
    if (tool === undefined || followed.has(task.taskId)) continue;
    client.seenTask(task);
    runs.start(client, { kind: 'task', taskId: task.taskId, tool });
  }
}

function withoutTasks(error: unknown): Task[] {
  if (error instanceof TenonError && error.code === 'capability-not-supported') return [];
  throw error;
}
