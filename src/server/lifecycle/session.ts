/** The session lifecycle on the server: a handshake once, then calls by a caller that is known. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { rpcError } from '../../protocol/errors.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../protocol/generated/types/records.ts';
import type { Done, Fields, Incoming, News, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Remember } from '../features/context.ts';
import type { Serving } from '../kernel/serving.ts';
import type { CallerInfo } from '../ports/caller.ts';
import { type Change, concerns } from '../ports/change-notifications.ts';
import type { LearnedFact, Link } from '../ports/link.ts';
import { SessionJourney } from './journey.ts';
import { introductionProblem, watchProblem } from './session-bounds.ts';

/** The level is read when something is logged, so that a new one holds for calls in flight as well. */
interface SessionCaller extends CallerInfo {
  logLevel: LoggingLevel;
}

/** The handshake is answered; a client that is `greeted` has yet to send `notifications/initialized`. */
interface Met {
  readonly is: 'greeted' | 'ready';
  readonly caller: SessionCaller;
  /** The capabilities that the client received in the handshake. */
  readonly declared: ServerCapabilities;
  /** Made with the first: most sessions watch nothing. */
  subscriptions: Set<string> | undefined;
}

type State = { readonly is: 'new' } | Met;

/** All that a session knows, as it is restored from a store. */
export interface SessionFacts extends Pick<Met, 'is' | 'declared' | 'subscriptions'> {
  readonly caller: Omit<SessionCaller, 'principal'>;
}

export interface Session {
  /** The revision agreed on, once there is one. */
  revision(): Revision | undefined;
  /** `by` is where the answer goes, and what belongs to the call: the session's own link, where there is one for all. */
  initialize(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  request(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  notified(news: News): Promise<unknown> | undefined;
  /** Whether its client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  changed(change: Change): void;
  /** Goes on with what is known of a session that began elsewhere. */
  restore(facts: SessionFacts): void;
  /** Learns what the client has sent to another node. */
  learn(fact: LearnedFact): void;
}

/** A class, since an idle session that held closures for all this would weigh twice as much. */
class LinkedSession implements Session {
  readonly #serving: Serving;
  readonly #link: Link;
  #state: State = unmet;

  constructor(serving: Serving, link: Link) {
    this.#serving = serving;
    this.#link = link;
  }

  revision(): Revision | undefined {
    return this.#state.is === 'new' ? undefined : this.#state.caller.revision;
  }

  get isReady(): boolean {
    return this.#state.is === 'ready';
  }

  initialize(message: RequestMessage, revision: Revision, call: Incoming, by: Link = this.#link): void {
    by.settle(message, revision, this.#greet(revision, call));
  }

  request(message: RequestMessage, revision: Revision, call: Incoming, by: Link = this.#link): void {
    const state = this.#state;
    const { method } = call;
    if (method === 'ping') return by.settle(message, revision, empty);
    if (state.is === 'new')
      return by.settle(
        message,
        revision,
        rpcError('invalid-request', 'The session is not initialized. Send initialize first.'),
      );
    const remember = rememberedMethods.has(method) ? this.#remember() : undefined;
    new SessionJourney(this.#serving, by, message, call, state.caller, remember).begin();
  }

  notified({ method, params = {} }: News): Promise<unknown> | undefined {
    if (method !== 'notifications/initialized') {
      this.#extensionNotified(method, params);
      return undefined;
    }
    if (this.#state.is !== 'greeted') return undefined;
    this.learn(initialized);
    return this.#link.remember?.(initialized);
  }

  changed(change: Change): void {
    if (this.#state.is !== 'ready') return;
    const { caller, declared, subscriptions } = this.#state;
    if (change.kind === 'news') {
      const { method, params } = change;
      if (receives(caller, change)) this.#link.notify(caller.revision, { method, params: { ...params } });
      return;
    }
    if (change.kind !== 'resource' && declared[change.kind]?.listChanged !== true) return;
    const news = newsOf(change, subscriptions);
    if (news !== undefined) this.#link.notify(caller.revision, news);
  }

  restore({ is, caller, declared, subscriptions }: SessionFacts): void {
    this.#state = { is, caller: { ...caller, principal: this.#link.principal }, declared, subscriptions };
  }

  learn(fact: LearnedFact): void {
    const state = this.#state;
    if (state.is === 'new') return;
    if (fact.kind === 'initialized') this.#state = { ...state, is: 'ready' };
    else if (fact.kind === 'level') state.caller.logLevel = fact.level;
    else if (fact.kind === 'unwatch') state.subscriptions?.delete(fact.uri);
    else {
      state.subscriptions ??= new Set();
      state.subscriptions.add(fact.uri);
    }
  }

  /** Passes on a notification of an extension. */
  #extensionNotified(method: string, params: Fields): void {
    const { registry, failed } = this.#serving;
    if (this.#state.is === 'new') return;
    registry().notifications.get(method)?.(this.#state.caller, params, (error) =>
      failed(error, { method, target: '' }),
    );
  }

  #greet(revision: Revision, { params }: Incoming): Outcome | RpcError {
    if (this.#state.is !== 'new') return rpcError('invalid-request', 'The session is already initialized');
    const problem = introductionProblem(params);
    if (problem !== undefined) return problem;
    const caller: SessionCaller = {
      revision,
      client: params.clientInfo as Implementation,
      capabilities: params.capabilities as ClientCapabilities,
      logLevel: 'info',
      principal: this.#link.principal,
    };
    const { info, capabilities, instructions } = this.#serving.registry();
    this.#state = { is: 'greeted', caller, declared: capabilities, subscriptions: undefined };
    const more = instructions === undefined ? {} : { instructions };
    return {
      resultType: 'complete',
      result: { protocolVersion: revision.id, capabilities, serverInfo: info, ...more },
    };
  }

  /** What the session itself remembers, once the chain has let it pass. */
  #remember(): Remember {
    return ({ method, params }, _context, finish) => {
      if (this.#state.is === 'new')
        return finish(rpcError('invalid-request', 'The session is not initialized. Send initialize first.'));
      const fact = factOf(method, params);
      const problem = fact.kind === 'watch' ? watchProblem(this.#state.subscriptions, fact.uri) : undefined;
      if (problem !== undefined) return finish(problem);
      const isNew = fact.kind === 'watch' && !this.#state.subscriptions?.has(fact.uri);
      // Before it is stored: what is on its way to the store counts as well.
      this.learn(fact);
      const notStored = (): void => {
        if (isNew) this.learn({ kind: 'unwatch', uri: fact.uri });
        finish(rpcError('internal-error', 'The session could not be stored. Try again.'));
      };
      const stored = this.#link.remember?.(fact);
      if (stored === undefined) finish(empty);
      else stored.then(() => finish(empty)).catch(notStored);
    };
  }
}

export const createSession = (serving: Serving, link: Link): Session => new LinkedSession(serving, link);

const unmet: State = { is: 'new' };

const rememberedMethods: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

const empty: Done = { resultType: 'complete', result: {} };

const initialized: LearnedFact = { kind: 'initialized' };

function factOf(method: string, { level, uri }: Fields): LearnedFact {
  if (method === 'logging/setLevel') return { kind: 'level', level: level as LoggingLevel };
  return { kind: method === 'resources/subscribe' ? 'watch' : 'unwatch', uri: uri as string };
}

const nothing: ReadonlySet<string> = new Set();

/** Whether a client gets a notification of an extension: it declared it, and its revision carries it. */
const receives = (
  { revision, capabilities }: CallerInfo,
  { extension, method }: Extract<Change, { kind: 'news' }>,
): boolean =>
  revision.server.notifications.has(method) &&
  (extension === undefined || capabilities.extensions?.[extension] !== undefined);

function newsOf(
  change: Exclude<Change, { kind: 'news' }>,
  subscriptions: ReadonlySet<string> = nothing,
): News | undefined {
  if (change.kind !== 'resource') return { method: `notifications/${change.kind}/list_changed` };
  const { uri } = change;
  const isWatched = subscriptions.has(uri) || [...subscriptions].some((watched) => concerns(watched, uri));
  return isWatched ? { method: 'notifications/resources/updated', params: { uri } } : undefined;
}
