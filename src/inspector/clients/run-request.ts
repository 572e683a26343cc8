/** Sends the request of a run by its client. */
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import type { ToolCallOptions } from '../../client/api/client.ts';
import type { Task } from '../../client/api/tasks.ts';
import { isRecord } from '../../lib/values/is.ts';
import { targetOf } from '../../protocol/history/message-parts.ts';
import type { RunInfo, RunRequest, RunResult } from '../api/runs.ts';
import type { InspectedClient } from './inspected-client.ts';

/** What a run reports while it runs, and what cancels it. */
export interface RunProgress {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: NonNullable<RunInfo['progress']>) => void;
  readonly onTask: (task: Task) => void;
  /** For the server requests of this run. */
  readonly answers: ClientHandlers;
}

/** The method of the request, and the name in it: by these a run finds its messages in the timeline. */
export function sentAs(request: RunRequest): { readonly method: string; readonly name?: string | undefined } {
  switch (request.kind) {
    case 'tool':
      return { method: 'tools/call', name: request.name };
    case 'resource':
      return { method: 'resources/read', name: request.uri };
    case 'prompt':
      return { method: 'prompts/get', name: request.name };
    case 'task':
      return { method: 'tasks/get', name: request.taskId };
    case 'request':
      return { method: request.method, name: targetOf(request.params ?? {}) };
  }
}

export async function sendRequest(
  { client }: InspectedClient,
  request: RunRequest,
  { signal, onProgress, onTask, answers }: RunProgress,
): Promise<NonNullable<RunResult['result']>> {
  const options = { signal, onProgress, answers };
  switch (request.kind) {
    case 'tool': {
      const { name, task } = request;
      const own: ToolCallOptions = { ...options, onTask, ...(task !== undefined && { task }) };
      return client.tools.call(name, { ...request.arguments }, own);
    }
    case 'resource':
      return client.resources.read(request.uri, { ...options, cache: 'reload' });
    case 'prompt':
      return client.prompts.get(request.name, { ...request.arguments }, options);
    case 'task':
      return client.tasks.result(request.taskId, options);
    case 'request':
      return client.request(request.method, withoutOwnMeta(request.params ?? {}), options);
  }
}

/** What the client sets itself in every request of its protocol version. */
const isOwnKey = (key: string): boolean => key === 'progressToken' || key.startsWith('io.modelcontextprotocol/');

function withoutOwnMeta(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { _meta, ...rest } = params;
  if (!isRecord(_meta)) return rest;
  const meta = Object.entries(_meta).filter(([key]) => !isOwnKey(key));
  return meta.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(meta) };
}
