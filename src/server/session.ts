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
import type { Incoming, News, Outcome } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Caller } from './caller.ts';
import { type Change, concerns } from './changes.ts';
import type { Link } from './link.ts';
import { runInSession } from './rounds.ts';
import type { Serving } from './serving.ts';

type State =
  | { readonly is: 'new' }
  /** The handshake is answered; the client has yet to say that it heard. */
  | {
      readonly is: 'greeted' | 'ready';
      readonly caller: Caller;
      /** What the client was told in the handshake; what came later it cannot know of. */
      readonly declared: ServerCapabilities;
      readonly subscriptions: Set<string>;
    };

export interface Session {
  /** The revision agreed on, once there is one. */
  readonly revision: Revision | undefined;
  initialize(message: RequestMessage, revision: Revision, call: Incoming): void;
  request(message: RequestMessage, revision: Revision, call: Incoming): void;
  notified(news: News): void;
  changed(change: Change): void;
}

/** How many resources one session may watch. */
const maxSubscriptions = 10_000;

export function createSession(serving: Serving, link: Link): Session {
  let state: State = { is: 'new' };
  let logLevel: LoggingLevel = 'info';

  function greet(revision: Revision, { params }: Incoming): Outcome | RpcError {
    if (state.is !== 'new') return rpcError('invalid-request', 'This session is initialized already');
    const caller: Caller = {
      revision,
      client: params.clientInfo as Implementation,
      capabilities: params.capabilities as ClientCapabilities,
      // Read when something is logged, so that a new level holds for calls under way as well.
      get logLevel() {
        return logLevel;
      },
      principal: link.principal,
    };
    const { info, capabilities, instructions } = serving.registry();
    state = { is: 'greeted', caller, declared: capabilities, subscriptions: new Set() };
    const more = instructions === undefined ? {} : { instructions };
    return { kind: 'done', result: { protocolVersion: revision.id, capabilities, serverInfo: info, ...more } };
  }

  /** What the session itself answers; everything else is for the kernel. */
  function own({ method, params }: Incoming): Outcome | RpcError | undefined {
    if (state.is === 'new') return method === 'ping' ? empty : undefined;
    switch (method) {
      case 'ping':
        return empty;
      case 'logging/setLevel':
        logLevel = params.level as LoggingLevel;
        return empty;
      case 'resources/subscribe':
        return subscribe(params.uri as string);
      case 'resources/unsubscribe':
        state.subscriptions.delete(params.uri as string);
        return empty;
      default:
        return undefined;
    }
  }

  function subscribe(uri: string): Outcome | RpcError {
    if (state.is === 'new') return rpcError('invalid-request', 'Send initialize first');
    if (serving.registry().capabilities.resources === undefined)
      return rpcError('method-not-found', 'There are no resources');
    if (state.subscriptions.has(uri)) return empty;
    if (state.subscriptions.size >= maxSubscriptions)
      return rpcError('overloaded', `A session watches at most ${maxSubscriptions} resources`);
    state.subscriptions.add(uri);
    return empty;
  }

  return {
    get revision() {
      return state.is === 'new' ? undefined : state.caller.revision;
    },
    initialize(message, revision, call) {
      link.settle(message, revision, greet(revision, call));
    },
    request(message, revision, call) {
      const answer = own(call);
      if (answer !== undefined) return link.settle(message, revision, answer);
      if (state.is === 'new')
        return link.settle(message, revision, rpcError('invalid-request', 'Send initialize first'));
      runInSession({ serving, link, message, call, caller: state.caller });
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

const empty: Outcome = { kind: 'done', result: {} };

function newsOf(change: Change, subscriptions: ReadonlySet<string>): News | undefined {
  if (change.kind !== 'resource') return { method: `notifications/${change.kind}/list_changed` };
  const { uri } = change;
  const isWatched = subscriptions.has(uri) || [...subscriptions].some((watched) => concerns(watched, uri));
  return isWatched ? { method: 'notifications/resources/updated', params: { uri } } : undefined;
}
