/** Sends the requests of a user over the current connection: at most once, unless the call may be repeated. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { idempotencyKey as keyName } from '../../protocol/meta-keys.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { CallOptions } from '../api/client.ts';
import { needForRequest } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConversationCallOptions } from '../connection/conversation.ts';
import { needsRediscovery, serverReplaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import { maxTries, pauseMs } from '../retry/backoff.ts';
import {
  type FailureOutcome,
  isConnectionLost,
  isIdempotent,
  isOutcomeLost,
  isRefused,
  isTemporary,
  isUnavailable,
  outcomeOf,
  outcomeUnknown,
} from '../retry/failure-outcome.ts';
import { checkCall } from './call-options.ts';
import { notFinished, withDeadline } from './deadline.ts';
import type { KnownTools } from './known-tools.ts';
import { namingCall, notSent, shownCall } from './shown-call.ts';

/** The parts of a client that a call needs. */
interface CallPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly settings: ClientSettings;
  readonly tools: KnownTools;
  /** Whether the next connection reaches the same server, which knows the idempotency keys. */
  readonly remembersKeys: boolean;
}

/** Sends requests, if the server declared the capability that they need. */
export interface RequestSender {
  /** `onSent` is called each time the request is sent. */
  request(method: string, params?: Fields, options?: CallOptions, onSent?: () => void): Promise<Done>;
}

const noOptions: CallOptions = {};

export class Calls implements RequestSender, CallPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly settings: ClientSettings;
  readonly tools: KnownTools;
  readonly remembersKeys: boolean;

  constructor(supervisor: ConnectionSupervisor, settings: ClientSettings, tools: KnownTools, keepsKeys: boolean) {
    this.supervisor = supervisor;
    this.settings = settings;
    this.tools = tools;
    this.remembersKeys = keepsKeys;
  }

  async request(method: string, params?: Fields, given?: CallOptions, onSent?: () => void): Promise<Done> {
    checkCall(method, params, given);
    const options = given ?? noOptions;
    this.supervisor.callStarted();
    try {
      return options.maxTotalTimeoutMs === undefined
        ? await this.#sendUntilSettled(method, params, options, onSent)
        : await this.#sendWithin(options.maxTotalTimeoutMs, method, params, options, onSent);
    } finally {
      this.supervisor.callFinished();
    }
  }

  #sendWithin(
    totalMs: number,
    method: string,
    params: Fields | undefined,
    options: CallOptions,
    onSent: (() => void) | undefined,
  ): Promise<Done> {
    return withDeadline(
      this.settings.deadlines,
      totalMs,
      options.signal,
      () => notFinished(method, params, totalMs),
      (signal) => this.#sendUntilSettled(method, params, { ...options, signal }, onSent),
    );
  }

  /** Waits for a connection. The error names the call. */
  async #waitToSend(
    method: string,
    params: Fields | undefined,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    try {
      return await this.supervisor.waitForConnection({ timeoutMs, signal });
    } catch (error) {
      throw notSent(error, method, params);
    }
  }

  async #sendUntilSettled(
    method: string,
    params: Fields | undefined,
    options: CallOptions,
    onSent: (() => void) | undefined,
  ): Promise<Done> {
    const { supervisor } = this;
    let pausedMs = 0;
    let lastProgress = Number.NEGATIVE_INFINITY;
    for (let attempts = 1; ; attempts++) {
      const timeoutMs = options.timeoutMs ?? this.settings.timeoutMs;
      const connection = supervisor.current ?? (await this.#waitToSend(method, params, timeoutMs, options.signal));
      needForRequest(connection.conversation.revision, connection.capabilities, method);
      const attempt = new Attempt(connection, method, this, options, lastProgress);
      try {
        const done = await attempt.send(params, onSent);
        supervisor.callAnswered();
        return done;
      } catch (error) {
        if (error instanceof RpcError) supervisor.callAnswered();
        lastProgress = attempt.lastProgress;
        const repeatable = mayRepeat(this, method, params, options);
        const named = namingCall(error, method, params);
        pausedMs += await attempt.waitToRetry(named, attempts, repeatable, pausedMs, params);
      }
    }
  }
}

/** One attempt of a call. */
class Attempt {
  readonly #connection: Connection;
  readonly #method: string;
  readonly #ports: CallPorts;
  readonly #options: CallOptions;
  #id: RequestId | undefined;
  /** Whether the server has required input. A call that was started is not repeated automatically. */
  #inputWasRequired = false;
  /** The last progress, also of earlier attempts: it never decreases. */
  lastProgress: number;

  constructor(connection: Connection, method: string, ports: CallPorts, options: CallOptions, lastProgress: number) {
    this.#connection = connection;
    this.#method = method;
    this.#ports = ports;
    this.#options = options;
    this.lastProgress = lastProgress;
  }

  async send(params: Fields | undefined, onSent: (() => void) | undefined): Promise<Done> {
    const { progress, timeoutMs } = this.#ports.settings;
    const { timeoutMs: callTimeoutMs = timeoutMs, signal } = this.#options;
    const request: ConversationCallOptions = {
      timeoutMs: callTimeoutMs,
      ...(signal !== undefined && { signal }),
      sent: (id) => {
        this.#id = id;
        onSent?.();
      },
      onInputRequired: () => {
        this.#inputWasRequired = true;
      },
    };
    if (needsNoProgress(this.#method) && this.#options.onProgress === undefined)
      return this.#connection.conversation.call(this.#method, withMeta(params, this.#options, undefined), request);
    const token = progress.begin((notified) => this.#onProgress(notified));
    try {
      return await this.#connection.conversation.call(this.#method, withMeta(params, this.#options, token), request);
    } finally {
      progress.end(token);
    }
  }

  /** Progress shows that the server is alive. */
  #onProgress(progress: ProgressUpdate): void {
    if (this.#id !== undefined) this.#connection.conversation.renew(this.#id, this.#ports.settings.maxTotalMs);
    // After input the call starts again, and repeats its progress.
    if (progress.progress <= this.lastProgress) return;
    this.lastProgress = progress.progress;
    this.#callUser('onProgress', () => this.#options.onProgress?.(progress));
  }

  #callUser(what: string, callback: () => unknown): void {
    this.#ports.settings.callUser(what, callback);
  }

  /** Throws the error for the caller, or waits until the call can be sent again and returns how long it paused. */
  async waitToRetry(
    error: unknown,
    attempts: number,
    repeatable: boolean,
    pausedMs: number,
    params: Fields | undefined,
  ): Promise<number> {
    const { supervisor } = this.#ports;
    if (closedByClient(error)) throw error.cause;
    const outcome = this.#outcomeOf(error);
    if (
      outcome === 'settled' &&
      !supervisor.isClosing &&
      needsRediscovery(error) &&
      !(await stillServes(this.#connection))
    ) {
      this.#connection.close(serverReplaced(error));
      if (!this.#inputWasRequired && attempts < maxTries) return this.#connectionClosed();
    }
    const { isClosing } = supervisor;
    const isFinal = outcome === 'settled' && !(repeatable && isTemporary(error));
    if (isFinal || (isClosing && isCutOff(error))) throw error;
    if (isConnectionLost(error) && !isClosing) this.#connection.close(error as Error);
    if (outcome === 'unknown' && (!repeatable || isOutcomeLost(error)))
      throw outcomeUnknown(this.#method, this.#id, error as Error, shownCall(this.#method, params));
    // The time limit ends the attempts of a call that the server refuses before it begins.
    if (supervisor.isClosed || (attempts >= maxTries && !isRefused(error))) throw error;
    if (this.#connection.isClosed || isConnectionLost(error)) return this.#connectionClosed();
    return isUnavailable(error) || error instanceof RpcError ? this.#pause(error, attempts, pausedMs) : 0;
  }

  /** A call that has required input was begun, also if its next round was refused or not sent. */
  #outcomeOf(error: unknown): FailureOutcome {
    const outcome = outcomeOf(error);
    if (!this.#inputWasRequired || outcome !== 'unsent') return outcome;
    return isRefused(error) ? 'settled' : 'unknown';
  }

  async #connectionClosed(): Promise<number> {
    await this.#connection.closed;
    return 0;
  }

  /** Pauses for an overloaded server, in total no longer than the time limit of the call. */
  async #pause(error: TenonError | RpcError, attempts: number, pausedMs: number): Promise<number> {
    const ms = pauseMs(attempts, error);
    if (!isTemporary(error) || pausedMs + ms > (this.#options.timeoutMs ?? this.#ports.settings.timeoutMs)) throw error;
    const { supervisor } = this.#ports;
    await supervisor.pause(ms, this.#options.signal);
    if (supervisor.isClosed) throw error;
    return ms;
  }
}

/** Whether the call failed because the connection closed, and not because the server is unreachable. */
const isCutOff = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'connection-closed';

/** Whether this side closed the connection since it could not answer a server request, as the test kit does. */
const closedByClient = (error: unknown): error is Error & { cause: TenonError } =>
  isCutOff(error) && error.cause instanceof TenonError && error.cause.code === 'server-request-failed';

/** Whether a call may be sent again when its outcome is unknown. */
function mayRepeat(ports: CallPorts, method: string, params: Fields | undefined, options: CallOptions): boolean {
  if (options.retryable !== undefined) return options.retryable;
  if ((options.idempotencyKey !== undefined && ports.remembersKeys) || isIdempotent(method)) return true;
  return method === 'tools/call' && ports.tools.mayRepeat(params?.name as string);
}

/** Progress is requested even without a listener, since it restarts the time limit; not for quick methods. */
const quickMethods: ReadonlySet<string> = new Set(['ping', 'logging/setLevel', 'completion/complete']);
const needsNoProgress = (method: string): boolean => quickMethods.has(method) || method.endsWith('/list');

/** The params with `_meta`. */
function withMeta(
  params: Fields | undefined,
  { meta, idempotencyKey }: CallOptions,
  progressToken: number | undefined,
): Fields | undefined {
  if (meta === undefined && idempotencyKey === undefined && progressToken === undefined) return params;
  const whole: Fields = { ...(isRecord(params?._meta) && params._meta), ...meta };
  if (idempotencyKey !== undefined) whole[keyName] = idempotencyKey;
  if (progressToken !== undefined) whole.progressToken = progressToken;
  return { ...params, _meta: whole };
}
