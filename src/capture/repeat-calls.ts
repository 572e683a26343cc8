/** Makes the calls of a capture again, and compares the results with the recorded ones. */
import type { Client } from '../client/api/client.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { callback, checkOptions, type Rules } from '../lib/options/option-rules.ts';
import type { Fields } from '../lib/values/is.ts';
import { type CompareOptions, compareResults, compareRules, type Difference } from './compare-results.ts';
import type { RecordedCall } from './replay/calls-in-capture.ts';

/** The options of `repeatCalls`. */
export interface RepeatOptions extends CompareOptions {
  /** Called after each call. */
  readonly onCall?: (call: RepeatedCall) => void;
  /** Ends it: the call in progress is cancelled, and `repeatCalls` rejects. */
  readonly signal?: AbortSignal;
}

/** A call that was made again. */
export interface RepeatedCall {
  /** The recorded call. */
  readonly call: RecordedCall;
  /** The result that it has now. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The error that it has now. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** Where the outcome differs from the recorded one. Empty if it does not. */
  readonly differences: readonly Difference[];
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

const rules: Rules & Record<keyof RepeatOptions, Rules[string]> = {
  ...compareRules,
  onCall: callback,
  signal: { holds: (value) => value instanceof AbortSignal, must: 'be an AbortSignal' },
};

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
  checkOptions('repeatCalls', options, rules);
  const { onCall, signal, ...compare } = options;
  /** The cursors of this run by the recorded ones. */
  const cursors = new Map<unknown, unknown>();
  const repeated: RepeatedCall[] = [];
  for (const call of calls) {
    const began = performance.now();
    const outcome = await outcomeOf(client, call, cursors, signal);
    const ms = Math.round((performance.now() - began) * 10) / 10;
    const cursor = call.result?.nextCursor;
    if (cursor !== undefined && outcome.result?.nextCursor !== undefined)
      cursors.set(cursor, outcome.result.nextCursor);
    const one: RepeatedCall = { call, ...outcome, differences: compared(call, outcome, cursors, compare), ms };
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
  options: CompareOptions,
): Difference[] {
  const [before, after] = [comparable(recorded), comparable(now, cursors)];
  // A result instead of an error, or the other way round, is one difference.
  if ('error' in before !== 'error' in after) return [{ path: '', recorded: before, now: after }];
  return compareResults(before, after, options);
}

const aboutTheConnection: ReadonlySet<string> = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

/** An outcome without fields about the connection, and with the recorded cursors. */
function comparable({ result, error }: Outcome, cursors?: ReadonlyMap<unknown, unknown>): Fields {
  if (error !== undefined) return { error };
  const rest = Object.fromEntries(Object.entries(result ?? {}).filter(([name]) => !aboutTheConnection.has(name)));
  const recorded = [...(cursors ?? [])].find(([, now]) => now === rest.nextCursor)?.[0];
  return recorded === undefined ? rest : { ...rest, nextCursor: recorded };
}
