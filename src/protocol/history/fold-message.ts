/** Applies a message to the state of its connection. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { TapSide } from '../../transport/tap.ts';
import { fields, isId, type MessagePart, partsOf, targetOf } from './message-parts.ts';
import type { ConnectionHistory, HistoryCounts, HistoryEvent, OpenRequest, TaskState } from './state.ts';

type MessageEvent = Extract<HistoryEvent, { kind: 'message' }>;
type Part<T extends MessagePart['type']> = Extract<MessagePart, { type: T }>;

/**
 * Open requests of a connection, in the state at a moment.
 * @limit inspector
 * @beyond the newest are shown
 */
const maxOpen = 1000;

/**
 * Tasks of a connection in the state at a moment, and as many subscriptions. Fewer, since an object is copied at each
 * change.
 * @limit inspector
 * @beyond the newest are shown
 */
const maxEntries = 200;

const prefix = 'io.modelcontextprotocol/';

export function foldMessage(connection: ConnectionHistory, event: MessageEvent): ConnectionHistory {
  return partsOf(event.m).reduce((state, part) => foldPart(counted(state, part), part, event), connection);
}

function foldPart(state: ConnectionHistory, part: MessagePart, event: MessageEvent): ConnectionHistory {
  switch (part.type) {
    case 'request':
      return withTasks(introduced(opened(state, part, event), part), part.params, event.seq);
    case 'notification':
      return withTasks(notified(state, part, event.from), part.params, event.seq);
    case 'response':
      return withTasks(answered(state, part, event.from), part.result, event.seq);
    case 'error':
      return part.id === undefined ? state : closed(state, part.id, other(event.from));
    case 'invalid':
      return state;
  }
}

const other = (side: TapSide): TapSide => (side === 'client' ? 'server' : 'client');

const countOf: Readonly<Record<MessagePart['type'], keyof HistoryCounts>> = {
  request: 'requests',
  notification: 'notifications',
  response: 'responses',
  error: 'responses',
  invalid: 'invalid',
};

function counted(state: ConnectionHistory, part: MessagePart): ConnectionHistory {
  const { counts } = state;
  const name = countOf[part.type];
  const isError = part.type === 'error' || (part.type === 'response' && part.result.isError === true);
  const errors = counts.errors + (isError ? 1 : 0);
  return { ...state, counts: { ...counts, messages: counts.messages + 1, [name]: counts[name] + 1, errors } };
}

function opened(state: ConnectionHistory, part: Part<'request'>, { from, seq, ms }: MessageEvent): ConnectionHistory {
  const { id, method, params } = part;
  const name = targetOf(params);
  const { progressToken } = fields(params._meta);
  const uris =
    method === 'subscriptions/listen' ? texts(fields(params.notifications).resourceSubscriptions) : undefined;
  const request: OpenRequest = {
    id,
    from,
    method,
    seq,
    ms,
    ...(name !== undefined && { name }),
    ...(isId(progressToken) && { progressToken }),
    ...(uris && { uris }),
  };
  const openRequests = [...state.openRequests, request].slice(-maxOpen);
  return { ...state, openRequests, subscriptions: uris ? joined(state.subscriptions, uris) : state.subscriptions };
}

/** Stores the client information, which is in a handshake or in every request. */
function introduced(state: ConnectionHistory, { method, params }: Part<'request'>): ConnectionHistory {
  if (method === 'initialize')
    return {
      ...state,
      lifecycle: 'session',
      ...records({ client: params.clientInfo, clientCapabilities: params.capabilities }),
    };
  if (method === 'logging/setLevel') return { ...state, ...strings({ logLevel: params.level }) };
  const meta = fields(params._meta);
  const protocolVersion = meta[`${prefix}protocolVersion`];
  if (typeof protocolVersion !== 'string') return state;
  return {
    ...state,
    lifecycle: 'exchange',
    protocolVersion,
    ...records({ client: meta[`${prefix}clientInfo`], clientCapabilities: meta[`${prefix}clientCapabilities`] }),
    ...strings({ logLevel: meta[`${prefix}logLevel`] }),
  };
}

function answered(state: ConnectionHistory, { id, result }: Part<'response'>, from: TapSide): ConnectionHistory {
  const request = state.openRequests.find((one) => one.id === id && one.from === other(from));
  const next = {
    ...closed(state, id, other(from)),
    ...records({ server: fields(result._meta)[`${prefix}serverInfo`] }),
  };
  const { name } = request ?? {};
  switch (request?.method) {
    case 'initialize':
    case 'server/discover':
      return { ...next, ...serverIn(result) };
    case 'resources/subscribe':
      return name === undefined ? next : { ...next, subscriptions: joined(next.subscriptions, [name]) };
    case 'resources/unsubscribe':
      return { ...next, subscriptions: next.subscriptions.filter((uri) => uri !== name) };
    default:
      return next;
  }
}

const serverIn = ({ serverInfo, capabilities, protocolVersion, instructions }: Fields): Partial<ConnectionHistory> => ({
  ...records({ server: serverInfo, serverCapabilities: capabilities }),
  ...strings({ protocolVersion, instructions }),
});

function notified(
  state: ConnectionHistory,
  { method, params }: Part<'notification'>,
  from: TapSide,
): ConnectionHistory {
  if (method === 'notifications/cancelled' && isId(params.requestId)) return closed(state, params.requestId, from);
  if (method !== 'notifications/progress') return state;
  const { progressToken, progress, total, message } = params;
  const at = state.openRequests.findIndex((one) => one.progressToken === progressToken && one.from === other(from));
  const request = state.openRequests[at];
  if (request === undefined || typeof progress !== 'number') return state;
  const last = {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
  return { ...state, openRequests: state.openRequests.with(at, { ...request, progress: last }) };
}

/** Removes a finished request, and its subscriptions. */
function closed(state: ConnectionHistory, id: unknown, from: TapSide): ConnectionHistory {
  const at = state.openRequests.findIndex((one) => one.id === id && one.from === from);
  if (at === -1) return state;
  const uris = state.openRequests[at]?.uris ?? [];
  const subscriptions =
    uris.length === 0 ? state.subscriptions : state.subscriptions.filter((one) => !uris.includes(one));
  return { ...state, openRequests: state.openRequests.toSpliced(at, 1), subscriptions };
}

/** Tasks are in results and notifications: as `task`, as `tasks`, or the fields themselves. */
function withTasks(state: ConnectionHistory, content: Fields, seq: number): ConnectionHistory {
  if (content.tasks === undefined && content.task === undefined && content.taskId === undefined) return state;
  const listed = Array.isArray(content.tasks) ? content.tasks : [content.task, content];
  const found = listed.flatMap((one): [string, TaskState][] => {
    if (!isRecord(one) || typeof one.taskId !== 'string' || typeof one.status !== 'string') return [];
    return [[one.taskId, { status: one.status, ...strings({ statusMessage: one.statusMessage }), seq }]];
  });
  if (found.length === 0) return state;
  const entries = [...new Map([...Object.entries(state.tasks), ...found])];
  return { ...state, tasks: Object.fromEntries(entries.slice(-maxEntries)) };
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, maxEntries) : [];

const joined = (known: readonly string[], more: readonly string[]): readonly string[] =>
  [...new Set([...known, ...more])].slice(-maxEntries);

/** Only the values that are objects, or texts: a broken message changes nothing. */
const records = (values: Fields): object =>
  Object.fromEntries(Object.entries(values).filter(([, one]) => isRecord(one)));
const strings = (values: Fields): object =>
  Object.fromEntries(Object.entries(values).filter(([, one]) => typeof one === 'string'));
