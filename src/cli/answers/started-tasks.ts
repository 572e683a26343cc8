/** Tasks that `tenon call --detach` has started. They are remembered, since not every server lists tasks. */
import { join } from 'node:path';
import type { Client } from '../../client/api/client.ts';
import type { TaskMemory } from '../../client/api/tasks.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { defaultFolder } from '../../node/credentials/credentials-folder.ts';
import { taskFile } from '../../node/credentials/task-file.ts';
import type { CommandResult } from '../io/command.ts';
import type { Given } from '../io/given.ts';
import type { Io } from '../io/io.ts';
import { isModule } from '../target/module-target.ts';
import { readConnection, urlTargetOf, usingClient } from '../target/open-client.ts';
import { usageError } from '../usage-error.ts';
import { declaredHandlers, hasRounds } from './rounds.ts';
import { typedRequests } from './typed-request.ts';

export const taskMemory = ({ env }: Pick<Io, 'env'>): TaskMemory =>
  taskFile(join(defaultFolder('tasks', env), 'started.json'));

/** `call --detach`: starts a task. `tenon tasks` gets its result. */
export async function startTask(given: Given): Promise<CommandResult> {
  const { io } = given;
  if (given.client !== undefined) throw usageError('repl waits for its calls.', 'Run tenon call … --detach.');
  // The server in a file is not loaded: it would end with this command.
  const connection = given.target !== undefined && isModule(given.target) ? undefined : await readConnection(given);
  const target = connection && urlTargetOf(connection);
  if (connection === undefined || target === undefined)
    throw usageError('A server that is started for a command ends with it.', '--detach needs a server at a URL.');
  return usingClient(
    io,
    connection,
    async (client) => {
      const request = await typedRequests.call?.(client, given);
      if (request?.kind !== 'call') throw new TypeError('A call was typed.');
      const task = await begun(client, request.params, io);
      const { taskId } = task;
      const storedAt = new Date(io.now()).toISOString();
      const tool = String(request.params.name);
      await taskMemory(io).add({
        server: new URL(target.url).href,
        taskId: String(taskId),
        tool,
        digest: '',
        storedAt,
      });
      return { result: task, text: `${taskId}\n\nIts result: tenon tasks ${target.url} result ${taskId}` };
    },
    { handlers: declaredHandlers },
  );
}

async function begun(client: Client, params: Fields, { signal }: Io): Promise<Fields> {
  if (!hasRounds(client)) {
    const { task } = await client.request('tools/call', { ...params, task: {} }, { signal });
    if (isRecord(task)) return task;
    throw noTask(params);
  }
  const outcome = await client.round('tools/call', params, { signal });
  if (outcome.resultType === 'task') return outcome.task;
  throw noTask(params);
}

const noTask = ({ name }: Fields): TenonError =>
  new TenonError('capability-not-supported', `The tool ${JSON.stringify(name)} did not become a task.`, {
    hint: 'It was called. Leave --detach out to get its result.',
    details: { tool: name },
  });
