/** The session lifecycle on the server: one handshake, then calls of a known client. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { createDeferred, type Deferred } from '../../lib/values/deferred.ts';
import type { Fields } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Principal } from '../../ports/principal.ts';
import { revisionFor } from '../../protocol/dialects/founding-tasks.ts';
import { rpcError } from '../../protocol/errors.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../protocol/generated/types/records.ts';
import type { Done, Incoming, InputRequest, Notification, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Remember } from '../features/call-ports.ts';
import { isLogged } from '../features/log-message.ts';
import { preparedRegistry } from '../kernel/feature-source.ts';
import { reaches } from '../kernel/guarded-changes.ts';
import type { Serving } from '../kernel/serving.ts';
import { type CallerInfo, knowsItsCaller } from '../ports/caller.ts';
import { type Change, listKinds, type TaskStatusChange } from '../ports/change-notifications.ts';
import type { Link, SessionUpdate } from '../ports/link.ts';
import { type SourceCaller, sourceCaller } from '../ports/source-caller.ts';
import type { SourceSession } from '../ports/source-session.ts';
import { levelFor, type Registry } from '../registry/registry.ts';
import { SessionJourney } from './journey.ts';
import { ReceivedNotifications } from './received-notifications.ts';
import { requestOutsideCalls } from './requests-outside-calls.ts';
import { RootsChanges, rootsListChanged } from './roots-changes.ts';
import { bytesOf, introductionProblem, watchProblem } from './session-bounds.ts';
import { sessionCapabilities } from './session-capabilities.ts';
import { notificationOf, receives } from './session-changes.ts';
import { createStatuses, type SessionStatuses } from './tasks/session-statuses.ts';

/**
 * How long a request to the client of a session waits for `notifications/initialized`.
 * @limit server
 * @beyond it is sent
 */
const introductionMs = 10_000;

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
  /** It has ended: a source of features begins nothing more for it. */
  end(): void;
}

/** A class: with closures an idle session takes twice the memory. */
class LinkedSession implements Session, SourceSession {
  readonly #serving: Serving;
  readonly #link: Link;
  #state: State = uninitialized;
  /** Created with the first notification: most clients send none. */
  #roots: RootsChanges | undefined;
  #received: ReceivedNotifications | undefined;
  /** Created with the first task. */
  #statuses: SessionStatuses | undefined;
  /** Created with the first request that comes too early. */
  #readiness: Deferred<void> | undefined;
  isEnded = false;

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

  end(): void {
    this.isEnded = true;
    this.#readiness?.resolve();
  }

  initialize(message: RequestMessage, revision: Revision, call: Incoming, by: Link = this.#link): void {
    const { source } = this.#serving;
    const problem = this.#introductionProblem(call);
    if (problem !== undefined) return by.settle(message, revision, problem);
    const caller = this.#introduced(revision, call);
    const begin = (registry: Registry | RpcError): void =>
      by.settle(message, revision, this.#initialize(registry, caller, knowsItsCaller(by)));
    if (source === undefined) begin(this.#serving.registry());
    else void mapped(preparedRegistry(this.#serving, source, sourceCaller(by, caller), call), begin);
  }

  request(message: RequestMessage, revision: Revision, call: Incoming, by: Link = this.#link): void {
    const state = this.#state;
    const { method } = call;
    if (method === 'ping') return by.settle(message, revision, empty);
    if (state.is === 'new') return by.settle(message, revision, notInitialized());
    const use = methodUses.get(method);
    if (use === 'task') this.#follow(state.caller, call, by);
    const remember = use === 'state' ? this.#remember(by) : undefined;
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
    if (!reaches(this.#serving, this.#listener(caller), change)) return;
    const notification = notificationOf(change, subscriptions);
    if (notification !== undefined) this.#link.notify(caller.revision, notification);
  }

  /** Who is notified of what belongs to no call; only a guard needs it. */
  #listener(caller: CallerInfo): SourceCaller | undefined {
    const { listener, sessionKey } = this.#link;
    if (this.#serving.guard === undefined || listener === undefined) return undefined;
    return { ...listener, connectionKey: sessionKey, caller };
  }

  /** Log messages may be sent before the client has sent `notifications/initialized`. */
  #logged({ level, message }: Extract<Change, { kind: 'log' }>): void {
    if (this.#state.is === 'new') return;
    const { revision, logLevel } = this.#state.caller;
    if (logLevel !== undefined && isLogged(level, logLevel)) this.#link.notify(revision, message);
  }

  get subscribed(): ReadonlySet<string> {
    return (this.#state.is === 'new' ? undefined : this.#state.subscriptions) ?? nothing;
  }

  async sendRequest(request: InputRequest, signal: AbortSignal): Promise<unknown> {
    if (this.#state.is !== 'ready') await this.#introduction();
    if (this.#state.is === 'new') throw notInitialized();
    return requestOutsideCalls(this.#serving, this.#link, this.#state.caller, request, signal);
  }

  /** A client gets no request before it has sent `notifications/initialized`; one that never does gets it late. */
  async #introduction(): Promise<void> {
    const { deadlines } = this.#serving;
    this.#readiness ??= createDeferred();
    const deadline = deadlines.add(introductionMs, this.#readiness.resolve, false);
    await this.#readiness.promise;
    deadlines.cancel(deadline);
  }

  restore({ is, caller, declared, subscriptions }: SessionState): void {
    const logLevel = levelFor(this.#serving.registry(), caller.logLevel);
    this.#state = { is, caller: this.#withSession({ ...caller, logLevel }), declared, subscriptions };
  }

  apply(update: SessionUpdate): void {
    const state = this.#state;
    if (state.is === 'new') return;
    if (update.kind === 'initialized') {
      this.#state = { ...state, is: 'ready' };
      this.#readiness?.resolve();
    } else if (update.kind === 'level') state.caller.logLevel = update.level;
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
    if (this.#state.is === 'new') return;
    const { caller } = this.#state;
    this.#serving.source?.rootsChanged({ principal, connectionKey: this.#link.sessionKey, caller });
    if (this.#serving.onRootsListChanged === undefined) return;
    this.#roots ??= new RootsChanges(this.#serving, this.#link, caller);
    this.#roots.changed(principal);
  }

  /** Passes on a notification of an extension. */
  #extensionNotified(method: string, params: Fields, principal: Principal | undefined): void {
    if (this.#state.is === 'new') return;
    this.#received ??= new ReceivedNotifications(this.#serving);
    this.#received.receive(method, params, this.#state.caller, principal);
  }

  #introductionProblem({ params }: Incoming): RpcError | undefined {
    return this.#state.is === 'new' ? introductionProblem(params) : alreadyInitialized();
  }

  #introduced(offered: Revision, { params }: Incoming): SessionCaller {
    const capabilities = params.capabilities as ClientCapabilities;
    return this.#withSession({
      revision: revisionFor(offered, capabilities),
      client: params.clientInfo as Implementation,
      capabilities,
      logLevel: levelFor(this.#serving.registry(), 'info'),
    });
  }

  /** A source of features needs the session, for what belongs to no call. */
  #withSession(caller: SessionCaller): SessionCaller {
    return this.#serving.source === undefined ? caller : { ...caller, session: this };
  }

  #initialize(registry: Registry | RpcError, caller: SessionCaller, listsTasks: boolean): Outcome | RpcError {
    if (registry instanceof RpcError) return registry;
    // Another one may have been prepared meanwhile.
    if (this.#state.is !== 'new') return alreadyInitialized();
    const { info, instructions } = registry;
    const { revision } = caller;
    const capabilities = sessionCapabilities(registry, revision, listsTasks);
    this.#state = { is: 'initializing', caller, declared: capabilities, subscriptions: undefined };
    const more = instructions === undefined ? {} : { instructions };
    return {
      resultType: 'complete',
      result: { protocolVersion: revision.id, capabilities, serverInfo: info, ...more },
    };
  }

  /** Changes the state of the session, after the middleware has called `next()`. */
  #remember(by: Link): Remember {
    return (call) => {
      const { method, params } = call;
      if (this.#state.is === 'new') return notInitialized();
      const update = updateOf(method, params);
      const { subscriptions, caller } = this.#state;
      const bytes = bytesOf(update, subscriptions);
      const problem =
        (update.kind === 'watch' ? watchProblem(subscriptions, update.uri) : undefined) ?? this.#link.hold?.(bytes);
      if (problem !== undefined) return problem;
      // Applied before it is stored, so that concurrent subscriptions count towards the limit.
      this.apply(update);
      const { source } = this.#serving;
      if (source === undefined) return this.#store(update, bytes);
      return mapped(source.sessionChanges(sourceCaller(by, caller), call), (refused) =>
        refused === undefined ? this.#store(update, bytes) : this.#undo(update, bytes, refused),
      );
    };
  }

  #store(update: SessionUpdate, bytes: number): MaybePromise<Done | RpcError> {
    const storing = this.#link.remember?.(update);
    if (storing === undefined) return empty;
    return storing.then(
      () => empty,
      () => this.#undo(update, bytes, notStored()),
    );
  }

  /** Takes back a new subscription. */
  #undo(update: SessionUpdate, bytes: number, error: RpcError): RpcError {
    if (update.kind === 'watch' && bytes > 0) this.apply({ kind: 'unwatch', uri: update.uri });
    if (bytes > 0) this.#link.hold?.(-bytes);
    return error;
  }
}

export const createSession = (serving: Serving, link: Link): Session => new LinkedSession(serving, link);

const nothing: ReadonlySet<string> = new Set();

const notStored = (): RpcError =>
  rpcError('overloaded', 'The session could not be stored. Try again.', { retryAfterMs: 1000 });

const notInitialized = (): RpcError =>
  rpcError('invalid-request', 'The session is not initialized. Send initialize first.');

const alreadyInitialized = (): RpcError => rpcError('invalid-request', 'The session is already initialized');

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
