/** Reads and writes messages of revisions without sessions: every request carries `clientInfo` and capabilities, every result its type. */

import { standardCodes } from '../jsonrpc/errors.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import { accepted, readParams, readResultShape, refused, writeParams, writeResultShape } from './checking.ts';
import { defaultNumbers, errorNumber } from './errors.ts';
import { isInputRequiredResult, isTask } from './generated/result-kinds.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, RequestId } from './generated/types/records.ts';
import type { CacheHint, InputRequest, Introduction, Outcome, Reading, Round, Side } from './neutral.ts';
import { cacheMetaText } from './result-text.ts';
import type { Revision, Wire } from './revision.ts';

/** The keys of `_meta` that the protocol reserves. */
export const metaKeys = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The protocol version that a message names. Any value but `undefined` counts, even an invalid one. */
export function claimedRevision(params: unknown): unknown {
  const meta = isRecord(params) ? params._meta : undefined;
  return isRecord(meta) ? meta[metaKeys.revision] : undefined;
}

/** Results that must carry a cache hint. */
const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

const isCacheable = ({ extended }: Revision, method: string): boolean =>
  cacheable.has(method) || extended?.cacheable.has(method) === true;

const hasKind = ({ extended }: Revision, method: string, type: unknown): boolean =>
  extended?.resultKinds.get(method)?.has(type as string) === true;

/** Calls whose handlers may require input before they return a result. */
const canRequireInput: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const nothing: Fields = Object.freeze({});
const messageWithoutHint: CacheHint = { ttlMs: 0, scope: 'private' };

export const exchangeWire: Wire = {
  readRequest(revision, from, method, params) {
    const read = readParams(revision, from, 'requests', method, params);
    if (!read.ok) return read;
    const meta = isRecord(read.value._meta) ? read.value._meta : nothing;
    return accepted({
      method,
      params: read.value,
      meta,
      introduction: readIntroduction(meta),
      round: canRequireInput.has(method) ? readRound(read.value) : undefined,
    });
  },

  readNotification(revision, from, method, params) {
    const read = readParams(revision, from, 'notifications', method, params);
    if (!read.ok) return read;
    const meta = read.value._meta;
    const subscription = isRecord(meta) ? (meta[metaKeys.subscription] as RequestId | undefined) : undefined;
    return accepted({ method, params: read.value, subscription });
  },

  readResult(revision, asker, method, result) {
    const type = isRecord(result) ? (result.resultType ?? 'complete') : 'complete';
    if (type === 'input_required') return readInputRequired(method, result as Fields);
    if (type === 'task') return readTask(method, result as Fields);
    if (type !== 'complete' && !hasKind(revision, method, type))
      return refused('internal-error', `Invalid result of ${method}: unknown resultType ${JSON.stringify(type)}`);
    return readAnswer(revision, asker, method, result);
  },

  writeRequest(revision, from, { method, params, introduction, round }) {
    const meta = {
      ...(isRecord(params?._meta) ? params._meta : {}),
      ...(introduction && writeIntroduction(revision, introduction)),
    };
    const answers = round && {
      inputResponses: round.answers,
      ...(round.state === undefined ? {} : { requestState: round.state }),
    };
    // Not by a spread: V8 makes a new hidden class for every object that has keys after one.
    return writeParams(revision, from, 'requests', method, Object.assign({}, params, answers, { _meta: meta }));
  },

  writeNotification(revision, from, { method, params, subscription }) {
    if (subscription === undefined) return writeParams(revision, from, 'notifications', method, params);
    const meta = { ...(isRecord(params?._meta) ? params._meta : {}), [metaKeys.subscription]: subscription };
    return writeParams(revision, from, 'notifications', method, { ...params, _meta: meta });
  },

  writeResult(revision, asker, method, outcome, by) {
    switch (outcome.resultType) {
      case 'input_required':
        return writeInputRequired(revision, method, outcome, by);
      case 'task':
        return writeTask(method, { ...outcome.task, resultType: 'task' });
      case 'complete': {
        const { result, cache = messageWithoutHint, subscription, extensionType: resultType = 'complete' } = outcome;
        const fitted = revision.fitting.results.get(method)?.(result) ?? result;
        if (resultType !== 'complete' && !hasKind(revision, method, resultType))
          return refused('internal-error', `${method} has no results of the type ${resultType}`);
        // Field by field: a literal with spreads costs more than the rest of this function.
        const written: Record<string, unknown> = Object.assign({}, fitted);
        written.resultType = resultType;
        if (isCacheable(revision, method)) {
          written.ttlMs = cache.ttlMs;
          written.cacheScope = cache.scope;
        }
        if (fitted._meta === undefined && subscription === undefined && by !== undefined)
          written._meta = serverMetaOf(by);
        else Object.assign(written, withServerInfo(fitted, by, subscription));
        return writeResultShape(revision, asker, method, written);
      }
    }
  },

  writeError(revision, error) {
    return { ...error.toObject(), code: allowedCode(errorNumber(revision.errorNumbers, error)) };
  },
};

/** Error numbers that this lifecycle has retired or reserved are never sent, even if a handler throws one. */
function allowedCode(code: number): number {
  if (code === -32002 || code === -32042) return standardCodes['invalid-params'];
  const isReserved = code <= -32020 && code >= -32099;
  return isReserved && !definedNumbers.has(code) ? standardCodes['internal-error'] : code;
}

const definedNumbers: ReadonlySet<number> = new Set(Object.values(defaultNumbers));

function readIntroduction(meta: Fields): Introduction {
  return {
    client: meta[metaKeys.client] as Implementation | undefined,
    capabilities: meta[metaKeys.capabilities] as ClientCapabilities,
    logLevel: meta[metaKeys.logLevel] as LoggingLevel | undefined,
  };
}

function writeIntroduction(revision: Revision, { client, capabilities, logLevel }: Introduction): Fields {
  const { fitting } = revision;
  return {
    [metaKeys.revision]: revision.id,
    [metaKeys.capabilities]: fitting.capabilities?.({ ...capabilities }) ?? capabilities,
    ...(client === undefined ? {} : { [metaKeys.client]: fitting.implementation?.({ ...client }) ?? client }),
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

function readRound({ inputResponses, requestState }: Fields): Round | undefined {
  if (inputResponses === undefined && requestState === undefined) return undefined;
  return { answers: (inputResponses ?? {}) as Fields, state: requestState as string | undefined };
}

function readInputRequired(method: string, result: Fields): Reading<Outcome> {
  if (!canRequireInput.has(method))
    return refused('internal-error', `Invalid result of ${method}: this method never requires input`);
  const { inputRequests, requestState } = result;
  if (!isInputRequiredResult(result) || (inputRequests === undefined && requestState === undefined)) {
    return refused(
      'internal-error',
      `Invalid result of ${method}: input_required with neither well-formed inputRequests nor requestState`,
    );
  }
  return accepted({
    resultType: 'input_required',
    inputRequests: (inputRequests ?? {}) as Record<string, InputRequest>,
    state: requestState as string | undefined,
  });
}

function writeInputRequired(
  revision: Revision,
  method: string,
  { inputRequests, state }: Extract<Outcome, { resultType: 'input_required' }>,
  by: Implementation | undefined,
): Reading<Fields> {
  if (!canRequireInput.has(method)) return refused('internal-error', `${method} cannot require input`);
  const fitted = Object.entries(inputRequests).map(([key, request]): [string, InputRequest] => {
    const fit = revision.fitting.params.get(request.method);
    return [key, fit && request.params ? { ...request, params: fit(request.params) } : request];
  });
  const result = {
    resultType: 'input_required',
    ...(fitted.length > 0 && { inputRequests: Object.fromEntries(fitted) }),
    ...(state === undefined ? {} : { requestState: state }),
    ...withServerInfo({}, by),
  };
  if (isInputRequiredResult(result) && (fitted.length > 0 || state !== undefined)) return accepted(result);
  return refused('internal-error', `Invalid result of ${method}: the inputRequests are not well formed`);
}

function readTask(method: string, result: Fields): Reading<Outcome> {
  if (!isTask(result)) return refused('internal-error', `Invalid result of ${method}: not a well-formed task`);
  const { resultType: _, ...task } = result;
  return accepted({ resultType: 'task', task });
}

const writeTask = (method: string, result: Fields): Reading<Fields> =>
  isTask(result) ? accepted(result) : refused('internal-error', `Invalid result of ${method}: not a well-formed task`);

function readAnswer(revision: Revision, asker: Side, method: string, result: unknown): Reading<Outcome> {
  const read = readResultShape(
    revision,
    asker,
    method,
    isRecord(result) ? completed(revision, method, result) : result,
  );
  if (!read.ok) return read;
  const { resultType, ttlMs, cacheScope, ...own } = read.value;
  // Only a result of another type than `complete` has to name it.
  if (resultType !== 'complete') own.resultType = resultType;
  const isCached = isCacheable(revision, method);
  // A task has a lifetime of the same name.
  if (ttlMs !== undefined && !isCached) own.ttlMs = ttlMs;
  const { [metaKeys.server]: by, ...meta } = isRecord(own._meta) ? own._meta : nothing;
  if (by !== undefined && Object.keys(meta).length > 0) own._meta = meta;
  else if (by !== undefined) delete own._meta;
  return accepted({
    resultType: 'complete',
    result: own,
    cache: isCached ? { ttlMs: ttlMs as number, scope: cacheScope as CacheHint['scope'] } : undefined,
    by: by as Implementation | undefined,
  });
}

/** The defaults of a result: its type is `complete`, and it must not be cached. */
function completed(revision: Revision, method: string, result: Fields): Fields {
  const typed = result.resultType === undefined ? { ...result, resultType: 'complete' } : result;
  if (!isCacheable(revision, method)) return typed;
  const { ttlMs = 0, cacheScope = 'private' } = typed;
  return { ...typed, ttlMs: typeof ttlMs === 'number' && ttlMs < 0 ? 0 : ttlMs, cacheScope };
}

function withServerInfo(result: Fields, by: Implementation | undefined, subscription?: RequestId): Fields {
  if (by === undefined && subscription === undefined) return nothing;
  const meta = {
    ...(isRecord(result._meta) ? result._meta : nothing),
    ...(by !== undefined && { [metaKeys.server]: by }),
    ...(subscription !== undefined && { [metaKeys.subscription]: subscription }),
  };
  return { _meta: meta };
}

/** All results of a server carry the same `serverInfo`, so its JSON is made once. */
const serverMetas = new WeakMap<Implementation, Fields>();

function serverMetaOf(by: Implementation): Fields {
  let meta = serverMetas.get(by);
  if (meta === undefined) {
    meta = cacheMetaText(Object.freeze({ [metaKeys.server]: by }));
    serverMetas.set(by, meta);
  }
  return meta;
}
