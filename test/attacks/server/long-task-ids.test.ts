/** IDs of tasks without end, which a client names for tasks of its own: the server remembers none of them. */
import { expect, it } from 'vitest';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { requestAsTask } from '../../../src/server/server-requests/request-as-task.ts';
import { TaskHints } from '../../../src/server/server-requests/task-hints.ts';

const long = 'x'.repeat(1_000_000);

it('in notifications that arrive before their task are ignored [S24]', () => {
  const hints = new TaskHints();
  hints.begin();
  for (const taskId of [long, 't']) hints.receive({ method: 'notifications/tasks/status', params: { taskId } });
  hints.begin();
  expect([hints.started(long).isChanged, hints.started('t').isChanged]).toEqual([false, true]);
});

it('in the answer to a request make it no task [S24]', async () => {
  const remembered: string[] = [];
  const asked: string[] = [];
  const answer = { task: { taskId: long, status: 'working' } };
  const ports = {
    deadlines: createDeadlines(),
    hints: new TaskHints(),
    inputMs: 1000,
    send: async ({ method }: { readonly method: string }) => {
      asked.push(method);
      return answer;
    },
  };
  const memory = { taskId: undefined, onTask: (taskId: string) => void remembered.push(taskId) };
  const wanted = { ttlMs: 1000, canCancel: false, memory };
  const { signal } = new AbortController();
  expect(await requestAsTask(ports, { method: 'elicitation/create', params: {} }, wanted, signal)).toBe(answer);
  expect([remembered, asked]).toEqual([[], ['elicitation/create']]);
});
