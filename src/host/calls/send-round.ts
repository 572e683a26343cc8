/** Sends one round of a call to its server, or continues the task that it has become. */
import type { Client } from '../../client/api/client.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { HostRound, HostRoundOptions } from '../round.ts';

export function sendRound(
  client: Client,
  tool: string,
  args: Fields,
  { taskId, consent: _consent, ...call }: HostRoundOptions,
): Promise<HostRound> {
  return taskId === undefined ? sendCall(client, tool, args, call) : continueTask(client, taskId, call);
}

type Call = Omit<HostRoundOptions, 'consent' | 'taskId'>;

async function sendCall(client: Client, tool: string, args: Fields, call: Call): Promise<HostRound> {
  // A client knows its lifecycle only when it is connected.
  await client.connection.ready(call.signal && { signal: call.signal });
  const outcome = await client.round('tools/call', { name: tool, arguments: args }, call);
  return outcome.resultType === 'complete'
    ? { resultType: 'complete', result: outcome.result as unknown as CallToolResult }
    : outcome;
}

/** What a task requires, or that it is still running, or its result. */
async function continueTask(client: Client, taskId: string, call: Call): Promise<HostRound> {
  const { round, task: _task, ...options } = call;
  if (round !== undefined) await client.tasks.answer(taskId, round.answers as Record<string, Fields>, options);
  const task = await client.tasks.get(taskId, options);
  if (task.status === 'input_required' && task.inputRequests !== undefined)
    return { resultType: 'input_required', inputRequests: task.inputRequests };
  if (task.status === 'working' || task.status === 'input_required') return { resultType: 'task', task: { ...task } };
  return { resultType: 'complete', result: await client.tasks.result(taskId, options) };
}
