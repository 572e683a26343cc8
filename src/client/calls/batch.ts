/** Sends several requests as one batch, where the protocol version has batches. Each gets its own result or error. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { BatchRequest, WaitOptions } from '../api/client.ts';
import { needForRequest } from '../connection/capabilities.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import { isIdempotent, outcomeOf, outcomeUnknown } from '../retry/failure-outcome.ts';
import { checkCall } from './call-options.ts';

interface BatchPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly settings: ClientSettings;
}

/** A batch is sent once: none of its requests is repeated. */
export async function sendBatch(
  { supervisor, settings }: BatchPorts,
  requests: readonly BatchRequest[],
  options: WaitOptions = {},
): Promise<PromiseSettledResult<Fields>[]> {
  checkBatch(requests, options);
  supervisor.callStarted();
  try {
    const { timeoutMs = settings.timeoutMs, signal } = options;
    const connection = supervisor.current ?? (await supervisor.waitForConnection({ timeoutMs, signal }));
    const { conversation, capabilities } = connection;
    const { revision } = conversation;
    if (!revision.batches) throw noBatches(revision.id);
    const check = (method: string): void => needForRequest(revision, capabilities, method);
    const sent = conversation.batch(requests, { timeoutMs, ...(signal !== undefined && { signal }) }, check);
    const settled = await Promise.allSettled(sent);
    supervisor.callAnswered();
    return settled.map((one, at) => (one.status === 'fulfilled' ? one : failed(one.reason, requests[at]?.method)));
  } finally {
    supervisor.callFinished();
  }
}

function failed(reason: unknown, method = ''): PromiseRejectedResult {
  const isUnknown = outcomeOf(reason) === 'unknown' && !isIdempotent(method);
  return { status: 'rejected', reason: isUnknown ? outcomeUnknown(method, undefined, reason as Error) : reason };
}

/** Throws before anything is sent. */
function checkBatch(requests: unknown, options: WaitOptions): void {
  if (!Array.isArray(requests) || requests.length === 0)
    throw wrong('batch()', 'requests', "be a list of at least one request, such as [{ method: 'tools/list' }]");
  requests.forEach((request: unknown, at) => {
    const place = `requests[${at}]`;
    if (!isRecord(request)) throw wrong('batch()', place, "be an object such as { method: 'tools/list' }");
    if (typeof request.method !== 'string' || request.method === 'initialize')
      throw wrong('batch()', `${place}.method`, 'be the name of a method other than initialize');
    if (request.params !== undefined && !isRecord(request.params))
      throw wrong('batch()', `${place}.params`, 'be an object, or left out');
    checkCall('batch()', request.params as Fields | undefined, at === 0 ? options : undefined);
  });
}

const noBatches = (revision: string): TenonError =>
  new TenonError('capability-not-supported', `Protocol version ${revision} has no batches.`, {
    hint: 'Send the requests one by one: await Promise.allSettled(requests.map(({ method, params }) => client.request(method, params))).',
    details: { revision },
  });
