/** The session lifecycle on the server: one handshake, then calls of a known client. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Principal } from '../../ports/principal.ts';
import { revisionFor } from '../../protocol/dialects/founding-tasks.ts';
import { rpcError } from '../../protocol/errors.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../protocol/generated/types/records.ts';
import type { Done, Incoming, Notification, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Remember } from '../features/call-ports.ts';
import { isLogged } from '../features/log-message.ts';
import { reaches } from '../kernel/guarded-changes.ts';
import type { Serving } from '../kernel/serving.ts';
import { type CallerInfo, knowsItsCaller } from '../ports/caller.ts';
import { type Change, listKinds, type TaskStatusChange } from '../ports/change-notifications.ts';
import type { Link, SessionUpdate } from '../ports/link.ts';
import { levelFor } from '../registry/registry.ts';
import { SessionJourney } from './journey.ts';
import { ReceivedNotifications } from './received-notifications.ts';
import { RootsChanges, rootsListChanged } from './roots-changes.ts';
import { bytesOf, introductionProblem, watchProblem } from './session-bounds.ts';
import { sessionCapabilities } from './session-capabilities.ts';
import { notificationOf, receives } from './session-changes.ts';
import { createStatuses, type SessionStatuses } from './tasks/session-statuses.ts';

/** The level is read when something is logged, so that a new one applies to calls in flight as well. */
interface SessionCaller extends CallerInfo {
  logLevel: LoggingLevel | undefined;
}

/** `initialize` is answered; the session is `initializing` until the client sends `notifications/initialized`. */
interface Initialized {
  readonly is: 'initializing' | 'ready';
  readonly caller: SessionCaller;
  /** The capabilities that the client received in the handshake. */
  readonly declared: ServerCapabilities;
  /** Created with the first subscription: most sessions have none. */
  subscriptions: Set<string> | undefined;
}

type State = { readonly is: 'new' } | Initialized;

/** The state of a session, as it is restored from a store. */
export interface SessionState extends Pick<Initialized, 'is' | 'declared' | 'subscriptions'> {
  readonly caller: SessionCaller;
}

export interface Session {
  /** The negotiated revision, once there is one. */
  revision(): Revision | undefined;
  /** `by` sends the answer, and the messages that belong to the call; by default the link of the session. */
  initialize(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  request(message: RequestMessage, revision: Revision, call: Incoming, by?: Link): void;
  /** `principal` is that of the notification; by default that of the link of the session. */
  notified(notification: Notification, principal?: Principal): Promise<unknown> | undefined;
  /** Whether its client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  /** The level from which its client gets log messages, once it is initialized. */
  readonly logLevel: LoggingLevel | undefined;
  changed(change: Change): void;
  /** Restores the state of a session that began at another endpoint or earlier. */
  restore(state: SessionState): void;
  /** Applies an update, which may come from another node. */
  apply(update: SessionUpdate): void;
  /**
   * Applies a stored state. `isComplete` also removes subscriptions that are not in it. Returns the subscriptions that
   * are new here.
   */
  refresh(state: SessionState, isComplete: boolean): readonly string[];
}

/** A class: with closures an idle session takes twice the memory. */
class LinkedSession implements Session {
  readonly #serving: Serving;
  readonly #link: Link;
  #state: State = uninitialized;
  /** Created with the first notification: most clients send none. */
  #roots: RootsChanges | undefined;
  #received: ReceivedNotifications | undefined;
  /** Created with the first task. */
  #statuses: SessionStatuses | undefined;

  constructor(serving: Serving, link: Link) {
    this.#serving = serving;
    this.#link = link;
  }

  revision(): Revision | undefined {
    return this.#state.is === 'new' ? undefined : this.#state.caller.revision;
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#state.is === 'new' ? undefined : this.#state.caller.logLevel;
  }

  get isReady(): boolean {
    return this.#state.is === 'ready';
  }

  initialize(message: RequestMessage, revision: Revision, call: Incoming, by: Link = this.#link): void {
    by.settle(message, revision, this.#initialize(revision, call, knowsItsCaller(by)));
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
    const use = methodUses.get(method);
    if (use === 'task') this.#follow(state.caller, call, by);
    const remember = use === 'state' ? this.#remember() : undefined;
    new SessionJourney(this.#serving, by, message, call, state.caller, remember).begin();
  }

  notified(
    { method, params = {} }: Notification,
    principal: Principal | undefined = this.#link.principal,
  ): Promise<unknown> | undefined {
    if (method === rootsListChanged) return void this.#rootsChanged(principal);
    if (method !== 'notifications/initialized') {
      this.#extensionNotified(method, params, principal);
      return undefined;
    }
    if (this.#state.is !== 'initializing') return undefined;
    this.apply(initialized);
    return this.#link.remember?.(initialized);
  }

  changed(change: Change): void {
    if (change.kind === 'log') return this.#logged(change);
    if (this.#state.is !== 'ready') return;
    const { caller, declared, subscriptions } = this.#state;
    if (change.kind === 'task') return this.#taskChanged(caller, change);
    if (change.kind === 'notification') {
      const { method, params } = change;
      if (receives(caller, change)) this.#link.notify(caller.revision, { method, params: { ...params } });
      return;
    }
    if (change.kind === 'all') {
      for (const kind of listKinds) this.changed({ kind });
      for (const uri of subscriptions ?? []) this.changed({ kind: 'resource', uri });
      return;
    }
    if (change.kind !== 'resource' && declared[change.kind]?.listChanged !== true) return;
    if (!reaches(this.#serving, this.#link.listener, change)) return;
    const notification = notificationOf(change, subscriptions);
    if (notification !== undefined) this.#link.notify(caller.revision, notification);
  }

  /** Log messages may be sent before the client has sent `notifications/initialized`. */
  #logged({ level, message }: Extract<Change, { kind: 'log' }>): void {
    if (this.#state.is === 'new') return;
    const { revision, logLevel } = this.#state.caller;
    if (logLevel !== undefined && isLogged(level, logLevel)) this.#link.notify(revision, message);
  }

  restore({ is, caller, declared, subscriptions }: SessionState): void {
    const logLevel = levelFor(this.#serving.registry(), caller.logLevel);
    this.#state = { is, caller: { ...caller, logLevel }, declared, subscriptions };
  }

  apply(update: SessionUpdate): void {
    const state = this.#state;
    if (state.is === 'new') return;
    if (update.kind === 'initialized') this.#state = { ...state, is: 'ready' };
    else if (update.kind === 'level') state.caller.logLevel = update.level;
    else if (update.kind === 'unwatch') state.subscriptions?.delete(update.uri);
    else {
      state.subscriptions ??= new Set();
      state.subscriptions.add(update.uri);
    }
  }

  refresh({ is, caller: { logLevel }, subscriptions }: SessionState, isComplete: boolean): readonly string[] {
    if (is === 'ready') this.apply(initialized);
    const state = this.#state;
    if (state.is === 'new') return [];
    const added = [...(subscriptions ?? [])].filter((uri) => state.subscriptions?.has(uri) !== true);
    state.caller.logLevel = levelFor(this.#serving.registry(), logLevel);
    if (isComplete) state.subscriptions = subscriptions;
    else for (const uri of added) this.apply({ kind: 'watch', uri });
    return added;
  }

  /** Most changes are of tasks of other sessions. */
  #taskChanged(caller: CallerInfo, change: TaskStatusChange): void {
    if (this.#statuses !== undefined || change.task?.session === this.#link.sessionKey)
      this.#statusesFor(caller)?.changed(change);
  }

  /** Only the owner of a task learns how it changes. */
  #follow(caller: CallerInfo, { params: { taskId } }: Incoming, { principal }: Link): void {
    if (typeof taskId === 'string') this.#statusesFor(caller)?.follow(taskId, principal?.key ?? '');
  }

  #statusesFor({ revision }: CallerInfo): SessionStatuses | undefined {
    this.#statuses ??= createStatuses(this.#serving, this.#link, revision);
    return this.#statuses;
  }

  #rootsChanged(principal: Principal | undefined): void {
    if (this.#state.is === 'new' || this.#serving.onRootsListChanged === undefined) return;
    this.#roots ??= new RootsChanges(this.#serving, this.#link, this.#state.caller);
    this.#roots.changed(principal);
  }

  /** Passes on a notification of an extension. */
  #extensionNotified(method: string, params: Fields, principal: Principal | undefined): void {
    if (this.#state.is === 'new') return;
    this.#received ??= new ReceivedNotifications(this.#serving);
    this.#received.receive(method, params, this.#state.caller, principal);
  }

  #initialize(offered: Revision, { params }: Incoming, listsTasks: boolean): Outcome | RpcError {
    if (this.#state.is !== 'new') return rpcError('invalid-request', 'The session is already initialized');
    const problem = introductionProblem(params);
    if (problem !== undefined) return problem;
    const registry = this.#serving.registry();
    const { info, instructions } = registry;
    const revision = revisionFor(offered, params.capabilities as ClientCapabilities);
    const capabilities = sessionCapabilities(registry, revision, listsTasks);
    const caller: SessionCaller = {
      revision,
      client: params.clientInfo as Implementation,
      capabilities: params.capabilities as ClientCapabilities,
      logLevel: levelFor(registry, 'info'),
    };
    this.#state = { is: 'initializing', caller, declared: capabilities, subscriptions: undefined };
    const more = instructions === undefined ? {} : { instructions };
    return {
      resultType: 'complete',
      result: { protocolVersion: revision.id, capabilities, serverInfo: info, ...more },
    };
  }

  /** Changes the state of the session, after the middleware has called `next()`. */
  #remember(): Remember {
    return ({ method, params }) => {
      if (this.#state.is === 'new')
        return rpcError('invalid-request', 'The session is not initialized. Send initialize first.');
      const update = updateOf(method, params);
      const { subscriptions } = this.#state;
      const bytes = bytesOf(update, subscriptions);
      const problem =
        (update.kind === 'watch' ? watchProblem(subscriptions, update.uri) : undefined) ?? this.#link.hold?.(bytes);
      if (problem !== undefined) return problem;
      // Applied before it is stored, so that concurrent subscriptions count towards the limit.
      this.apply(update);
      const storing = this.#link.remember?.(update);
      return storing === undefined ? empty : this.#stored(storing, update, bytes);
    };
  }

  async #stored(storing: Promise<unknown>, update: SessionUpdate, bytes: number): Promise<Done | RpcError> {
    try {
      await storing;
      return empty;
    } catch {
      if (update.kind === 'watch' && bytes > 0) this.apply({ kind: 'unwatch', uri: update.uri });
      if (bytes > 0) this.#link.hold?.(-bytes);
      return rpcError('overloaded', 'The session could not be stored. Try again.', { retryAfterMs: 1000 });
    }
  }
}

export const createSession = (serving: Serving, link: Link): Session => new LinkedSession(serving, link);

const uninitialized: State = { is: 'new' };

/** The methods that change the state of the session, or ask about a task that it follows from then on. */
const methodUses: ReadonlyMap<string, 'state' | 'task'> = new Map([
  ['logging/setLevel', 'state'],
  ['resources/subscribe', 'state'],
  ['resources/unsubscribe', 'state'],
  ['tasks/get', 'task'],
  ['tasks/result', 'task'],
]);

const empty: Done = { resultType: 'complete', result: {} };

const initialized: SessionUpdate = { kind: 'initialized' };

function updateOf(method: string, { level, uri }: Fields): SessionUpdate {
  if (method === 'logging/setLevel') return { kind: 'level', level: level as LoggingLevel };
  return { kind: method === 'resources/subscribe' ? 'watch' : 'unwatch', uri: uri as string };
}
