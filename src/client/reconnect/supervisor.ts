/** Keeps a client connected: connects, reconnects after a drop, and lets calls wait for a connection. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { type ConnectionState, type ConnectionStateChange } from '../api/connection-state.ts';
import type { Connection } from '../connection/connection.ts';
import { type PendingReason } from '../connection/connector.ts';
import { type Backoff, isStrictFailure } from '../retry/backoff.ts';
import { Pauses } from '../retry/pauses.ts';
import { AttemptTimer } from './attempt-timer.ts';
import { connectionClosed, refusalIn } from './refusals.ts';
import { type Effect, type Event, type State, transition } from './table.ts';
import { type DisconnectedReason, type WaitForConnection, WaitingCalls } from './waiting-calls.ts';

export interface SupervisorPorts {
  /** Opens a connection. When the signal is aborted, it must release everything. */
  connect(signal: AbortSignal): Promise<Connection>;
  /** Restores the log level and subscriptions on a new connection. A failure is reported, and the connection stays. */
  restore(connection: Connection, again: boolean): Promise<void>;
  /** What the attempt in progress waits for, if that is known. */
  pendingReason?(): PendingReason | undefined;
  onStateChange(change: ConnectionStateChange): void;
  /** Called when there will be no further connection. */
  onClosed(reason: Error | undefined): void;
  warn(error: Error): void;
}

export interface ReconnectPolicy {
  /** Absent if a broken connection is not replaced. */
  readonly backoff: Backoff | undefined;
  /** After this many failures in a row, without an answered call, calls are rejected at once instead of waiting. */
  readonly breakAfter: number;
  /** How long a connection must stay open before failures are counted from zero again. */
  readonly settleMs: number;
}

export interface SupervisorLimits {
  readonly random: () => number;
  /** How many calls may wait for a connection. */
  readonly maxWaiting: number;
}

export class ConnectionSupervisor {
  #state: State = { is: 'idle' };
  /** The connection that calls use. */
  #current: Connection | undefined;
  /** The open connection, also while it is being restored and calls still wait. */
  #open: Connection | undefined;
  /** The last connection, for its information about the server. */
  #lastKnown: Connection | undefined;
  /** Why the last attempt failed, or the last connection broke. */
  #lastError: Error | undefined;
  #attempt: AbortController | undefined;
  #holdsProcess = false;
  #inFlight = 0;
  /** Events in order: a listener of one may dispatch another. */
  readonly #events: Event[] = [];
  readonly #waiting: WaitingCalls;
  /** Created on first use: most calls never pause. */
  #pauses: Pauses | undefined;
  readonly #ports: SupervisorPorts;
  readonly #deadlines: Deadlines;
  readonly #policy: ReconnectPolicy;
  readonly #timer: AttemptTimer;

  constructor(
    ports: SupervisorPorts,
    deadlines: Deadlines,
    policy: ReconnectPolicy,
    { random, maxWaiting }: SupervisorLimits,
  ) {
    this.#ports = ports;
    this.#deadlines = deadlines;
    this.#policy = policy;
    this.#timer = new AttemptTimer(deadlines, policy.backoff, random);
    this.#waiting = new WaitingCalls(deadlines, maxWaiting, this);
  }

  /** Why there is no connection. */
  whyDisconnected(): DisconnectedReason {
    return { lastError: this.#lastError, pending: this.#ports.pendingReason?.() };
  }

  get state(): ConnectionState {
    return this.#state.is;
  }

  /** The connection for new calls, if there is one now. */
  get current(): Connection | undefined {
    return this.#state.is === 'ready' ? this.#current : undefined;
  }

  /** The last connection. Throws before the first one. */
  get lastKnown(): Connection {
    if (this.#lastKnown !== undefined) return this.#lastKnown;
    throw new TenonError('connection-closed', 'The client is not connected yet.', {
      hint: 'Await client.connection.ready() first.',
    });
  }

  /** Whether the user has closed the client, or is closing it. */
  get isClosing(): boolean {
    const state = this.#state;
    return state.is === 'draining' || (state.is === 'closed' && (state.by === 'close' || state.by === 'drained'));
  }

  /** The connection as soon as there is one. */
  async waitForConnection(options: WaitForConnection): Promise<Connection> {
    if (options.signal?.aborted) return this.#waiting.join(options);
    this.dispatch({ kind: 'requested' });
    const { current } = this;
    if (current !== undefined) return current;
    const refusal = this.#refusal(options.untilTimeout);
    if (refusal !== undefined) throw refusal;
    return this.#waiting.join(options);
  }

  /** A user listens for states and may wait for one: from now on attempts keep the process alive. */
  holdProcess(): void {
    if (this.#holdsProcess) return;
    this.#holdsProcess = true;
    if (this.#state.is === 'backoff') this.#timer.holdProcess();
  }

  /** Whether nothing more will be sent. */
  get isClosed(): boolean {
    return this.#state.is === 'draining' || this.#state.is === 'closed';
  }

  /** Pauses a call before it is sent again; ends early when the client closes. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.#pauses ??= new Pauses(this.#deadlines);
    return this.#pauses.wait(ms, signal);
  }

  /** The timeouts of waiting calls stop while the connection waits for credentials. */
  delayed(isDelayed: boolean): void {
    this.#waiting.delayed(isDelayed);
  }

  callStarted(): void {
    this.#inFlight++;
  }

  callFinished(): void {
    if (--this.#inFlight === 0 && this.#state.is === 'draining') this.dispatch({ kind: 'drained' });
  }

  /** A call was answered, so the connection works, and calls may wait for the next one if it breaks. */
  callAnswered(): void {
    if (this.#state.is === 'ready' && this.#state.unserved > 0) this.dispatch({ kind: 'answered' });
  }

  /** This connection has closed. */
  connectionDropped(connection: Connection, error: Error | undefined): void {
    if (connection !== this.#open) return;
    const cause = error ?? new TenonError('connection-closed', 'The server closed the connection.');
    this.#lastError = cause;
    this.#open = undefined;
    this.#current = undefined;
    this.dispatch(this.#mayReconnect(cause) ? { kind: 'dropped', error: cause } : { kind: 'lost', error });
  }

  dispatch(event: Event): void {
    if (this.#events.push(event) > 1) return;
    const thrown: unknown[] = [];
    for (let next: Event | undefined = event; next !== undefined; next = this.#events[0]) {
      try {
        this.#step(next);
      } catch (error) {
        // Later events are processed even after an error.
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
    const wait = state.is === 'backoff' ? this.#timer.nextWaitMs(state.attempt, state.error) : undefined;
    for (const effect of effects) this.#run(effect, wait);
    if (state.is === 'backoff') this.#refuseWaiting(state);
    if (state.is !== before.is) this.#reportChange(before, event, wait);
    if (state.is === 'closed') this.#ports.onClosed(state.reason);
  }

  #reportChange(before: State, event: Event, wait: number | undefined): void {
    this.#ports.onStateChange({
      from: before.is,
      to: this.#state.is,
      event: event.kind,
      ...('error' in event && event.error !== undefined && { error: event.error }),
      ...(wait !== undefined && { retryDelayMs: wait }),
    });
  }

  #run(effect: Effect, wait: number | undefined): void {
    switch (effect) {
      case 'connect':
        return void this.#connect();
      case 'restore':
        return; // `#connect` does it: it has the connection.
      case 'start-stable-timer':
        return this.#timer.start(this.#policy.settleMs, () => this.dispatch({ kind: 'stable' }), false);
      case 'start-backoff':
        return this.#timer.start(wait ?? 0, () => this.dispatch({ kind: 'retry' }), this.#mustHoldProcess);
      case 'stop-stable-timer':
      case 'stop-backoff':
        return this.#timer.stop();
      case 'drain':
        // Paused calls would be rejected when they are sent again.
        this.#pauses?.endAll();
        if (this.#inFlight === 0) queueMicrotask(() => this.dispatch({ kind: 'drained' }));
        return;
      case 'disconnect':
        return this.#closeConnection();
      case 'reject-waiting':
        return this.#refuseAll();
    }
  }

  #closeConnection(): void {
    this.#attempt?.abort(connectionClosed());
    const connection = this.#open;
    this.#open = undefined;
    this.#current = undefined;
    connection?.close();
  }

  #refuseAll(): void {
    this.#pauses?.endAll();
    this.#waiting.refuse(
      this.#refusal() ?? connectionClosed(),
      this.#state.is === 'closed' ? this.#state.reason : undefined,
    );
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController();
    const isCurrent = (): boolean => this.#attempt === attempt;
    this.#attempt = attempt;
    this.#timer.attemptStarted();
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
    this.dispatch({ kind: this.#mayReconnect(error) ? 'failed' : 'lost', error });
  }

  #mayReconnect(error: Error): boolean {
    return this.#policy.backoff !== undefined && !isStrictFailure(error);
  }

  /** Waiting calls continue once the log level and subscriptions are restored. */
  async #opened(connection: Connection): Promise<void> {
    const again = this.#lastKnown !== undefined;
    this.#lastKnown = connection;
    this.#lastError = undefined;
    this.#attempt = undefined;
    this.#open = connection;
    // The calls that it broke are rejected first.
    connection.onClosed(({ reason }) => queueMicrotask(() => this.connectionDropped(connection, reason)));
    this.dispatch({ kind: 'opened' });
    await this.#ports.restore(connection, again).catch((error) => this.#ports.warn(error as Error));
    if (this.#open !== connection) return;
    this.#current = connection;
    this.#waiting.release(connection);
  }

  /** Rejects waiting calls if waiting longer does not help. */
  #refuseWaiting(state: State & { is: 'backoff' }): void {
    const refusal = this.#refusal();
    if (refusal === undefined) this.#waiting.refuseFailFast(state.error);
    else if (this.#refusal(true) === undefined) this.#waiting.refuseImpatient(refusal, state.error);
    else this.#waiting.refuse(refusal, state.error);
  }

  /** Why a call cannot wait. One that waits until its timeout is not refused because attempts failed too often. */
  #refusal(untilTimeout = false): Error | undefined {
    const breakAfter = untilTimeout ? Number.POSITIVE_INFINITY : this.#policy.breakAfter;
    return refusalIn(this.#state, breakAfter, this.#lastKnown !== undefined);
  }

  /** Waiting calls keep the process alive themselves; subscriptions on a broken connection need this. */
  get #mustHoldProcess(): boolean {
    return this.#lastKnown !== undefined || this.#holdsProcess;
  }
}
