/** Holds a connection through its life: makes it, makes it again after a drop, and lets calls wait for it. */
import type { Deadline, Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import { type StateChange, type StateName } from '../api/connection-state.ts';
import type { Connection } from '../connection/connection.ts';
import { type PendingReason } from '../connection/connector.ts';
import { type Backoff, isPermanent, recent, retryAfterOf, waitMs } from '../retry/backoff.ts';
import { Pauses } from '../retry/pauses.ts';
import { type Effect, type Event, type State, transition } from './table.ts';
import { type DisconnectedReason, type WaitForConnection, WaitingCalls } from './waiting-calls.ts';

export interface SupervisorPorts {
  /** Makes a connection. Once the signal is aborted, nothing of it may stay behind. */
  connect(signal: AbortSignal): Promise<Connection>;
  /** Tells a server what it has to know of this client. A failure is told, and the connection goes on. */
  restore(connection: Connection, again: boolean): Promise<void>;
  /** What the attempt under way waits for, where that can be told. */
  pendingReason?(): PendingReason | undefined;
  onStateChange(change: StateChange): void;
  /** What listens for changes waits for another connection, or for none. */
  onClosed(reason: Error | undefined): void;
  fault(error: Error): void;
}

export interface ReconnectPolicy {
  /** Absent where a connection that broke off is not made again. */
  readonly backoff: Backoff | undefined;
  /** After so many failures in a row, without a call that was answered, calls are refused at once instead of waiting. */
  readonly breakAfter: number;
  /** How long a connection has to hold before failures count from the start again. */
  readonly settleMs: number;
}

export interface SupervisorLimits {
  readonly random: () => number;
  /** How many calls may wait for a connection. */
  readonly maxWaiting: number;
}

export class ConnectionSupervisor {
  #state: State = { is: 'idle' };
  /** The connection that calls may use. */
  #current: Connection | undefined;
  /** The connection that is there, also while the server is still told what it has to know. */
  #open: Connection | undefined;
  /** The last connection that there was, for what it told of the server. */
  #lastKnown: Connection | undefined;
  /** What kept the last attempt from coming to anything, or broke the last connection off. */
  #lastError: Error | undefined;
  #attempt: AbortController | undefined;
  #timer: Deadline | undefined;
  #holdsProcess = false;
  #attemptTimes: number[] = [];
  #inFlight = 0;
  /** Events in the order they came: what hears of one may cause another. */
  readonly #events: Event[] = [];
  readonly #waiting: WaitingCalls;
  /** Made when a call pauses: most never do. */
  #pauses: Pauses | undefined;
  readonly #ports: SupervisorPorts;
  readonly #deadlines: Deadlines;
  readonly #policy: ReconnectPolicy;
  readonly #random: () => number;

  constructor(
    ports: SupervisorPorts,
    deadlines: Deadlines,
    policy: ReconnectPolicy,
    { random, maxWaiting }: SupervisorLimits,
  ) {
    this.#ports = ports;
    this.#deadlines = deadlines;
    this.#policy = policy;
    this.#random = random;
    this.#waiting = new WaitingCalls(deadlines, maxWaiting, this);
  }

  /** Why there is no connection. */
  whyDisconnected(): DisconnectedReason {
    return { lastError: this.#lastError, pending: this.#ports.pendingReason?.() };
  }

  get state(): StateName {
    return this.#state.is;
  }

  /** The connection where there is one now, and where new calls may use it. */
  get current(): Connection | undefined {
    return this.#state.is === 'ready' ? this.#current : undefined;
  }

  /** The connection that told last what the server is. Throws before there was one. */
  get lastKnown(): Connection {
    if (this.#lastKnown !== undefined) return this.#lastKnown;
    throw new TenonError('connection-closed', 'The client has not been connected yet.', {
      hint: 'Wait for client.connection.ready() first.',
    });
  }

  /** Whether the user has ended it, or is about to. */
  get isClosing(): boolean {
    const state = this.#state;
    return state.is === 'draining' || (state.is === 'closed' && (state.by === 'close' || state.by === 'drained'));
  }

  /** The connection as soon as there is one. */
  async waitForConnection(patience: WaitForConnection): Promise<Connection> {
    if (patience.signal?.aborted) return this.#waiting.join(patience);
    this.dispatch({ kind: 'wanted' });
    const { current } = this;
    if (current !== undefined) return current;
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    return this.#waiting.join(patience);
  }

  /** Somebody hears of its states, and may wait for one: attempts hold the process from here on. */
  holdProcess(): void {
    if (this.#holdsProcess) return;
    this.#holdsProcess = true;
    const timer = this.#timer;
    if (this.#state.is === 'backoff' && timer !== undefined)
      this.#after(this.#deadlines.left(timer), { kind: 'due' }, true);
  }

  /** Whether nothing will be sent any more. */
  get isClosed(): boolean {
    return this.#state.is === 'draining' || this.#state.is === 'closed';
  }

  /** Lets a call wait before it is sent again, as long as it can be. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.#pauses ??= new Pauses(this.#deadlines);
    return this.#pauses.wait(ms, signal);
  }

  callStarted(): void {
    this.#inFlight++;
  }

  callFinished(): void {
    if (--this.#inFlight === 0 && this.#state.is === 'draining') this.dispatch({ kind: 'drained' });
  }

  /** A call was answered. What breaks off after that was of use, so calls may wait for what comes next. */
  callAnswered(): void {
    if (this.#state.is === 'ready' && this.#state.unserved > 0) this.dispatch({ kind: 'served' });
  }

  /** What this line was is over. */
  dropped(connection: Connection, error: Error | undefined): void {
    if (connection !== this.#open) return;
    const cause = error ?? new TenonError('connection-closed', 'The server ended the connection.');
    this.#lastError = cause;
    this.#open = undefined;
    this.#current = undefined;
    this.dispatch(this.#policy.backoff === undefined ? { kind: 'lost', error } : { kind: 'dropped', error: cause });
  }

  dispatch(event: Event): void {
    if (this.#events.push(event) > 1) return;
    const thrown: unknown[] = [];
    for (let next: Event | undefined = event; next !== undefined; next = this.#events[0]) {
      try {
        this.#step(next);
      } catch (error) {
        // What throws must not keep all that comes after it from being heard.
        thrown.push(error);
      }
      this.#events.shift();
    }
    if (thrown.length > 0) throw thrown[0];
  }

  #step(event: Event): void {
    const before = this.#state;
    const { state, effects } = transition(before, event);
    if (state === before) return;
    this.#state = state;
    const wait = state.is === 'backoff' ? this.#nextWait(state) : undefined;
    for (const effect of effects) this.#run(effect, wait);
    if (state.is === 'backoff') this.#refuseWaiting(state);
    if (state.is !== before.is) this.#reportChange(before, event, wait);
    if (state.is === 'closed') this.#ports.onClosed(state.reason);
  }

  #reportChange(before: State, event: Event, wait: number | undefined): void {
    this.#ports.onStateChange({
      from: before.is,
      to: this.#state.is,
      by: event.kind,
      ...('error' in event && event.error !== undefined && { error: event.error }),
      ...(wait !== undefined && { waitMs: wait }),
    });
  }

  #run(effect: Effect, wait: number | undefined): void {
    switch (effect) {
      case 'dial':
        return void this.#connect();
      case 'restore':
        return; // `#dial` goes on with it: the line is in its hands.
      case 'time':
        return this.#after(this.#policy.settleMs, { kind: 'settled' }, false);
      case 'wait':
        return this.#after(wait ?? 0, { kind: 'due' }, this.#mustHoldProcess);
      case 'untime':
      case 'unwait':
        return this.#stopTimer();
      case 'drain':
        // What pauses would be refused when it is sent again.
        this.#pauses?.endAll();
        if (this.#inFlight === 0) queueMicrotask(() => this.dispatch({ kind: 'drained' }));
        return;
      case 'hang-up':
        return this.#closeConnection();
      case 'refuse':
        return this.#refuseAll();
    }
  }

  #closeConnection(): void {
    this.#attempt?.abort(closing());
    const connection = this.#open;
    this.#open = undefined;
    this.#current = undefined;
    connection?.close();
  }

  #refuseAll(): void {
    this.#pauses?.endAll();
    this.#waiting.refuse(this.#refusal() ?? closing(), this.#state.is === 'closed' ? this.#state.reason : undefined);
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController();
    const isCurrent = (): boolean => this.#attempt === attempt;
    this.#attempt = attempt;
    const now = this.#deadlines.now();
    this.#attemptTimes = [...recent(this.#attemptTimes, now), now];
    let connection: Connection;
    try {
      connection = await this.#ports.connect(attempt.signal);
    } catch (error) {
      if (isCurrent()) this.#failed(error as Error);
      return;
    }
    if (!isCurrent() || this.#state.is !== 'connecting') return connection.close();
    await this.#opened(connection);
  }

  #failed(error: Error): void {
    this.#lastError = error;
    this.#attempt = undefined;
    this.dispatch(this.#policy.backoff === undefined ? { kind: 'lost', error } : { kind: 'failed', error });
  }

  /** Those who wait go on when the server knows again what it knew: the level of its logs, and what is watched. */
  async #opened(connection: Connection): Promise<void> {
    const again = this.#lastKnown !== undefined;
    this.#lastKnown = connection;
    this.#lastError = undefined;
    this.#attempt = undefined;
    this.#open = connection;
    // Those whose calls it breaks off hear of it first.
    connection.onClosed(({ reason }) => queueMicrotask(() => this.dropped(connection, reason)));
    this.dispatch({ kind: 'opened' });
    await this.#ports.restore(connection, again).catch((error) => this.#ports.fault(error as Error));
    if (this.#open !== connection) return;
    this.#current = connection;
    this.#waiting.release(connection);
  }

  #nextWait({ attempt, error }: State & { is: 'backoff' }): number {
    const { backoff } = this.#policy;
    if (backoff === undefined) return 0;
    const now = this.#deadlines.now();
    return waitMs(
      backoff,
      { failures: attempt, times: this.#attemptTimes, now, retryAfterMs: retryAfterOf(error) },
      this.#random,
    );
  }

  /** Those who wait hear of what waiting does not mend. */
  #refuseWaiting(state: State & { is: 'backoff' }): void {
    const refusal = this.#refusal();
    if (refusal === undefined) this.#waiting.refuseFailFast(state.error);
    else this.#waiting.refuse(refusal, state.error);
  }

  /** Why a call cannot even wait now, if it cannot. */
  #refusal(): Error | undefined {
    const state = this.#state;
    if (state.is === 'draining') return closing();
    if (state.is === 'closed') return ended(state.reason);
    if (state.is !== 'backoff') return undefined;
    if (isPermanent(state.error)) return state.error;
    return state.unserved >= this.#policy.breakAfter ? broken(state.unserved, state.error) : undefined;
  }

  /** Whoever waits holds the process itself. What was connected may have streams of changes that wait, too. */
  get #mustHoldProcess(): boolean {
    return this.#lastKnown !== undefined || this.#holdsProcess;
  }

  #after(ms: number, event: Event, holds: boolean): void {
    this.#stopTimer();
    const passed = (): void => {
      this.#timer = undefined;
      this.dispatch(event);
    };
    this.#timer = this.#deadlines.add(ms, passed, holds);
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#deadlines.cancel(this.#timer);
    this.#timer = undefined;
  }
}

const closing = (): TenonError => new TenonError('connection-closed', 'The connection is closed.');

const ended = (cause: Error | undefined): TenonError =>
  cause === undefined
    ? closing()
    : new TenonError('connection-closed', `The connection is closed: ${cause.message}`, { cause });

const broken = (failures: number, cause: Error): TenonError =>
  new TenonError(
    'circuit-open',
    `The server broke off or could not be reached ${failures} times in a row: ${cause.message}`,
    {
      hint: 'Attempts go on; `client.connection` tells when it is back.',
      details: { failures },
      cause,
    },
  );
