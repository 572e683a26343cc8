/** The tasks that messages of a server show, in the form of the client's API. */
import type { Task } from '../../client/api/tasks.ts';
import { isRecord } from '../../lib/values/is.ts';
import { partsOf } from '../../protocol/history/message-parts.ts';
import { parsed } from '../recordings/row-reader.ts';
import { beginningOf, maxLineChars, maxNameChars } from '../stored-text.ts';

/** Nearly all messages have none: they are not parsed a second time. */
export function tasksIn(text: string): readonly Task[] {
  if (!text.includes('"taskId"')) return [];
  return partsOf(parsed(text)).flatMap((part) => {
    const content = part.type === 'response' ? part.result : part.type === 'notification' ? part.params : {};
    const listed = Array.isArray(content.tasks) ? content.tasks : [content.task, content];
    return listed.flatMap(taskIn);
  });
}

function taskIn(value: unknown): Task[] {
  if (
    !isRecord(value) ||
    typeof value.taskId !== 'string' ||
    value.taskId.length > maxNameChars ||
    !isStatus(value.status)
  )
    return [];
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, inputRequests } = value;
  const ttl = value.ttlMs ?? value.ttl;
  const pollIntervalMs = value.pollIntervalMs ?? value.pollInterval;
  return [
    {
      taskId,
      status,
      createdAt: String(createdAt ?? ''),
      lastUpdatedAt: String(lastUpdatedAt ?? ''),
      ttlMs: typeof ttl === 'number' ? ttl : null,
      ...(typeof statusMessage === 'string' && { statusMessage }),
      ...(typeof pollIntervalMs === 'number' && { pollIntervalMs }),
      ...(isRecord(inputRequests) && { inputRequests: inputRequests as NonNullable<Task['inputRequests']> }),
    },
  ];
}

/** Requests for input that are larger are in the timeline only. */
const maxInputChars = 64_000;

/** A task without texts of the server that are long. */
export function storedTask(task: Task): Task {
  const { statusMessage, inputRequests, ...rest } = task;
  return {
    ...rest,
    ...(statusMessage !== undefined && { statusMessage: beginningOf(statusMessage, maxLineChars) }),
    ...(inputRequests && JSON.stringify(inputRequests).length <= maxInputChars && { inputRequests }),
  };
}

const statuses: ReadonlySet<unknown> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']);

const isStatus = (value: unknown): value is Task['status'] => statuses.has(value);
