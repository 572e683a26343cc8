/** Makes the calls of a capture again, and compares the results with the recorded ones. */
import type { Client } from '../client/api/client.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import type { Fields } from '../lib/values/is.ts';
import { type Difference, differencesBetween } from './compare-results.ts';
import { repeatOptions } from './repeat-options.table.ts';
import type { RepeatedCall, RepeatOptions } from './repeat-options.ts';
import type { RecordedCall } from './replay/calls-in-capture.ts';

/**
 * Makes recorded calls again with a client, one after the other, and compares the outcomes. Cursors may differ. Rejects
 * if the connection fails; an error that the server answers with is an outcome.
 *
 * ```ts
 * const calls = callsInCapture(readCapture(text));
 * const client = await connect(server, { handlers: handlersFromCapture(calls) });
 * const repeated = await repeatCalls(calls, client, { ignoreTimes: true });
 * expect(repeated.flatMap(({ differences }) => differences)).toEqual([]);
 * ```
 */
export async function repeatCalls(
  calls: readonly RecordedCall[],
  client: Pick<Client, 'request'>,
  options: RepeatOptions = {},
): Promise<RepeatedCall[]> {
  const settings = readOptions('repeatCalls()', repeatOptions, options);
  const { onCall, signal } = settings;
  /** The cursors of this run by the recorded ones. */
  const cursors = new Map<unknown, unknown>();
  /** The other way round. */
  const recordedCursors = new Map<unknown, unknown>();
  const repeated: RepeatedCall[] = [];
  for (const call of calls) {
    const began = performance.now();
    const outcome = await outcomeOf(client, call, cursors, signal);
    const ms = Math.round((performance.now() - began) * 10) / 10;
    const cursor = call.result?.nextCursor;
    const next = outcome.result?.nextCursor;
    if (cursor !== undefined && next !== undefined) {
      cursors.set(cursor, next);
      if (!recordedCursors.has(next)) recordedCursors.set(next, cursor);
    }
    const one: RepeatedCall = { call, ...outcome, differences: compared(call, outcome, recordedCursors, settings), ms };
    repeated.push(one);
    onCall?.(one);
  }
  return repeated;
}

type Outcome = Pick<RepeatedCall, 'result' | 'error'>;

async function outcomeOf(
  client: Pick<Client, 'request'>,
  { method, params }: RecordedCall,
  cursors: ReadonlyMap<unknown, unknown>,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const cursor = cursors.get(params.cursor) ?? params.cursor;
  const sent = cursor === undefined ? { ...params } : { ...params, cursor };
  try {
    return { result: await client.request(method, sent, signal === undefined ? {} : { signal }) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(data !== undefined && { data }) } };
  }
}

function compared(
  recorded: Outcome,
  now: Outcome,
  cursors: ReadonlyMap<unknown, unknown>,
  settings: Filled<RepeatOptions, typeof repeatOptions>,
): Difference[] {
  const [before, after] = [comparable(recorded), comparable(now, cursors)];
  // A result instead of an error, or the other way round, is one difference.
  if ('error' in before !== 'error' in after) return [{ path: '', recorded: before, now: after }];
  return differencesBetween(before, after, settings);
}

const aboutTheConnection: ReadonlySet<string> = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

/** An outcome without fields about the connection, and with the recorded cursors, which are found by those of now. */
function comparable({ result, error }: Outcome, cursors?: ReadonlyMap<unknown, unknown>): Fields {
  if (error !== undefined) return { error };
  const rest = Object.fromEntries(Object.entries(result ?? {}).filter(([name]) => !aboutTheConnection.has(name)));
  const recorded = cursors?.get(rest.nextCursor);
  return recorded === undefined ? rest : { ...rest, nextCursor: recorded };
}
