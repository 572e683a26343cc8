/** `tenon tasks`: lists, shows and cancels tasks of a server, and gets their results. */
import type { Task } from '../../../client/api/tasks.ts';
import { sendRequest } from '../../answers/send-request.ts';
import { taskMemory } from '../../answers/started-tasks.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName, usageError } from '../../usage-error.ts';

const actions = ['list', 'show', 'cancel', 'result'] as const;

export const run: RunCommand = (given) => {
  const [typed = 'list', taskId] = given.words;
  const action = actions.find((one) => one === typed);
  if (action === undefined) throw unknownName('action', typed, actions, `It can be ${actions.join(', ')}.`);
  if (action === 'list') return list(given);
  if (taskId === undefined) throw usageError('ID is missing: the ID of the task.', `Write tenon tasks … ${action} ID.`);
  return action === 'result' ? sendRequest(given, 'tasks') : one(given, action, taskId);
};

const list = (given: Given): Promise<CommandResult> =>
  withClient(
    given,
    async (client) => {
      const tasks = await client.tasks.list({ signal: given.io.signal }).all();
      return { result: tasks, text: tasks.length === 0 ? 'No tasks.' : tableOf(tasks, given) };
    },
    { tasks: { memory: taskMemory(given.io) } },
  );

const one = (given: Given, action: 'show' | 'cancel', taskId: string): Promise<CommandResult> =>
  withClient(given, async (client) => {
    const { signal } = given.io;
    if (action === 'cancel') await client.tasks.cancel(taskId, { signal });
    const task = await client.tasks.get(taskId, { signal });
    return { result: task, text: tableOf([task], given) };
  });

function tableOf(tasks: readonly Task[], { io }: Given): string {
  const style = styleFor(io);
  const rows = tasks.map(({ taskId, status, lastUpdatedAt, statusMessage = '' }) => [
    style.title(taskId),
    status,
    lastUpdatedAt,
    statusMessage,
  ]);
  return textTable(rows, io.columns);
}
