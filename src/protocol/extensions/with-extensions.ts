/** Adds the messages of extensions to the tables of a revision, so that other code treats them like those of the protocol. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Fits } from '../fitting/fitting.ts';
import { type Check } from '../model/primitives.ts';
import type { Side } from '../neutral.ts';
import type { Extended, ParamsCheck, RequestCheck, Revision, SideChecks } from '../revision.ts';
import { samplingMethod } from '../sampling.ts';
import type { ExtensionDefinition, MethodDefinition } from './extension.ts';
import { wrapped } from './plain-value.ts';

/** The revision with the extensions that it can carry. Without any it stays as it is. */
export function withExtensions(revision: Revision, extensions: readonly ExtensionDefinition[]): Revision {
  const carried = extensions.filter(
    ({ availableInSessions: inSessions }) => revision.lifecycle === 'exchange' || inSessions,
  );
  if (carried.length === 0) return revision;
  const methods = carried.flatMap((each) => Object.values(each.methods));
  const messages = carried.flatMap((each) => [...Object.values(each.methods), ...Object.values(each.notifications)]);
  const extended: Extended = {
    messages: new Set(messages.map(({ method }) => method)),
    cacheable: new Set(methods.filter(({ cacheable }) => cacheable).map(({ method }) => method)),
    resultKinds: new Map(
      methods.map(({ method, resultTypes: resultKinds }) => [method, new Set(Object.keys(resultKinds))]),
    ),
  };
  return Object.freeze({
    ...revision,
    client: withMessages(revision, 'client', carried),
    server: withMessages(revision, 'server', carried),
    fitting:
      revision.lifecycle === 'session' ? withDeclared(revision, carried) : withSamplingRequest(revision, extended),
    fixes: revision.lifecycle === 'session' ? withPlainValues(revision, extended) : withEnvelopes(revision, methods),
    extended,
  });
}

/** The params that every request and notification of the revision has; the schemas of the extension validate the rest. */
function plainRequest({ client }: Revision): ParamsCheck {
  const plain = client.requests.get('server/discover') ?? client.requests.get('ping');
  return { params: plain?.params ?? isRecord, optional: plain?.optional ?? true };
}

const plainNotification = ({ server }: Revision): ParamsCheck =>
  server.notifications.get('notifications/tools/list_changed') ?? { params: isRecord, optional: true };

const isResult: Check = (value) => isRecord(value) && (value._meta === undefined || isRecord(value._meta));

const isCacheableResult: Check = (value) =>
  isResult(value) &&
  Number.isInteger((value as Fields).ttlMs) &&
  ((value as Fields).ttlMs as number) >= 0 &&
  ['public', 'private'].includes((value as Fields).cacheScope as string);

function withMessages(revision: Revision, side: Side, extensions: readonly ExtensionDefinition[]): SideChecks {
  const { requests, notifications } = revision[side];
  const plain = plainRequest(revision);
  const hasCache = revision.lifecycle === 'exchange';
  const request = ({ cacheable }: MethodDefinition): RequestCheck => ({
    ...plain,
    result: cacheable && hasCache ? isCacheableResult : isResult,
  });
  const methods = side === 'client' ? extensions.flatMap((each) => Object.values(each.methods)) : [];
  // Without sessions a notification of a client has no sender: it belongs to no request.
  const isReceived = side === 'server' || revision.lifecycle === 'session';
  const all = isReceived ? extensions.flatMap((each) => Object.values(each.notifications)) : [];
  const declared = all.filter(({ from }) => from === side);
  return {
    requests: new Map([...requests, ...methods.map((each) => [each.method, request(each)] as const)]),
    notifications: new Map([
      ...notifications,
      ...declared.map(({ method }) => [method, plainNotification(revision)] as const),
    ]),
  };
}

/** Applies the fixes for `_meta` to these methods too. */
function withEnvelopes({ fixes }: Revision, methods: readonly MethodDefinition[]): Revision['fixes'] {
  const fix = fixes.params.get('server/discover');
  if (fix === undefined) return fixes;
  return { ...fixes, params: new Map([...fixes.params, ...methods.map(({ method }) => [method, fix] as const)]) };
}

/**
 * Fitting removes the envelope of sampling, which is normally part of a result. As a request of the client it keeps its
 * envelope.
 */
function withSamplingRequest({ fitting }: Revision, { messages }: Extended): Revision['fitting'] {
  if (!messages.has(samplingMethod)) return fitting;
  const { params } = fitting;
  return { ...fitting, params: { get: (method) => (method === samplingMethod ? undefined : params.get(method)) } };
}

/** In a session, params may also be a list, and results any value. An object that was refused stays refused. */
function withPlainValues({ fixes }: Revision, { messages }: Extended): Revision['fixes'] {
  const fix = (value: unknown): unknown => (value === undefined || isRecord(value) ? undefined : wrapped(value));
  const added = [...messages].map((method) => [method, fix] as const);
  return { ...fixes, params: new Map([...added, ...fixes.params]), results: new Map([...fixes.results, ...added]) };
}

/** Fitting removes capabilities that a revision does not have. The declared extensions among them are added again. */
function withDeclared({ fitting }: Revision, extensions: readonly ExtensionDefinition[]): Revision['fitting'] {
  const known: ReadonlySet<string> = new Set(extensions.flatMap(({ id }) => id ?? []));
  const withDeclaredExtensions = (fit: ((value: Fields) => Fields) | undefined) => (value: Fields) => {
    const fitted = fit?.(value) ?? value;
    const declared = isRecord(value.capabilities) ? value.capabilities.extensions : undefined;
    const kept = Object.entries(isRecord(declared) ? declared : {}).filter(([id]) => known.has(id));
    if (kept.length === 0) return fitted;
    const capabilities = { ...(fitted.capabilities as Fields), extensions: Object.fromEntries(kept) };
    return { ...fitted, capabilities };
  };
  const withHandshake = (fits: Fits): Fits => {
    const handshake = withDeclaredExtensions(fits.get('initialize'));
    return { get: (method) => (method === 'initialize' ? handshake : fits.get(method)) };
  };
  return { ...fitting, params: withHandshake(fitting.params), results: withHandshake(fitting.results) };
}
