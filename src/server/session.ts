/** The session lifecycle on the server: a handshake once, then calls by a caller that is known. */
import type { RpcError } from '../jsonrpc/errors.ts';
import type { RequestMessage } from '../jsonrpc/message.ts';
import { rpcError } from '../protocol/errors.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../protocol/generated/types/records.ts';
import type { Done, Incoming, News, Outcome } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Caller } from './caller.ts';
import { type Change, concerns } from './changes.ts';
import type { Keep } from './context.ts';
import type { Link } from './link.ts';
import { SessionJourney } from './rounds.ts';
import type { Serving } from './serving.ts';

/** The level is read when something is logged, so that a new one holds for calls under way as well. */
interface SessionCaller extends Caller {
  logLevel: LoggingLevel;
}

type State =
  | { readonly is: 'new' }
  /** The handshake is answered; the client has yet to say that it heard. */
  | {
      readonly is: 'greeted' | 'ready';
      readonly caller: SessionCaller;
      /** What the client was told in the handshake; what came later it cannot know of. */
      readonly declared: ServerCapabilities;
      readonly subscriptions: Set<string>;
    };

export interface Session {
  /** The revision agreed on, once there is one. */
  revision(): Revision | undefined;
  /** `by` is where the answer goes, and what belongs to the call: the session's own link, where there is one for all. */
  initialize(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  request(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  notified(news: News): void;
  changed(change: Change): void;
}

/** How many resources one session may watch. */
const maxSubscriptions = 10_000;

export function createSession(serving: Serving, link: Link): Session {
  let state: State = { is: 'new' };

  function greet(revision: Revision, { params }: Incoming): Outcome | RpcError {
    if (state.is !== 'new') return rpcError('invalid-request', 'This session is initialized already');
    const caller: SessionCaller = {
      revision,
      client: params.clientInfo as Implementation,
      capabilities: params.capabilities as ClientCapabilities,
      logLevel: 'info',
      principal: link.principal,
    };
    const { info, capabilities, instructions } = serving.registry();
    state = { is: 'greeted', caller, declared: capabilities, subscriptions: new Set() };
    const more = instructions === undefined ? {} : { instructions };
    return { kind: 'done', result: { protocolVersion: revision.id, capabilities, serverInfo: info, ...more } };
  }

  /** What the session itself remembers, once the chain has let it pass. */
  const keep: Keep = ({ method, params }, _context, finish) => {
    if (state.is === 'new') return finish(rpcError('invalid-request', 'Send initialize first'));
    if (method === 'logging/setLevel') state.caller.logLevel = params.level as LoggingLevel;
    if (method === 'resources/unsubscribe') state.subscriptions.delete(params.uri as string);
    finish(method === 'resources/subscribe' ? subscribe(state.subscriptions, params.uri as string) : empty);
  };

  return {
    revision: () => (state.is === 'new' ? undefined : state.caller.revision),
    initialize(message, revision, call, by = link) {
      by.settle(message, revision, greet(revision, call));
    },
    request(message, revision, call, by = link) {
      const { method } = call;
      if (method === 'ping') return by.settle(message, revision, empty);
      if (state.is === 'new') return by.settle(message, revision, rpcError('invalid-request', 'Send initialize first'));
      new SessionJourney(serving, by, message, call, state.caller, kept.has(method) ? keep : undefined).begin();
    },
    notified({ method }) {
      if (state.is === 'greeted' && method === 'notifications/initialized') state = { ...state, is: 'ready' };
    },
    changed(change) {
      if (state.is !== 'ready') return;
      const { caller, declared, subscriptions } = state;
      if (change.kind !== 'resource' && declared[change.kind]?.listChanged !== true) return;
      const news = newsOf(change, subscriptions);
      if (news !== undefined) link.notify(caller.revision, news);
    },
  };
}

const kept: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

const empty: Done = { kind: 'done', result: {} };

function subscribe(subscriptions: Set<string>, uri: string): Done | RpcError {
  if (subscriptions.size >= maxSubscriptions && !subscriptions.has(uri))
    return rpcError('overloaded', `A session watches at most ${maxSubscriptions} resources`);
  subscriptions.add(uri);
  return empty;
}

function newsOf(change: Change, subscriptions: ReadonlySet<string>): News | undefined {
  if (change.kind !== 'resource') return { method: `notifications/${change.kind}/list_changed` };
  const { uri } = change;
  const isWatched = subscriptions.has(uri) || [...subscriptions].some((watched) => concerns(watched, uri));
  return isWatched ? { method: 'notifications/resources/updated', params: { uri } } : undefined;
}
