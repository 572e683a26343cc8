/** One attempt of a call over one connection, and whether another may follow. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { idempotencyKey as keyName } from '../../protocol/meta-keys.ts';
import type { Done, Outcome, Round } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { CallOptions } from '../api/client.ts';
import type { LogEntry } from '../api/options.ts';
import type { Connection } from '../connection/connection.ts';
import type { TaskOutcome } from '../connection/conversation.ts';
import { needsRediscovery, serverReplaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import { maxTries } from '../retry/backoff.ts';
import {
  type FailureOutcome,
  isConnectionLost,
  isIdempotent,
  isOutcomeLost,
  isRefused,
  isTemporary,
  isUnavailable,
  outcomeOf,
} from '../retry/failure-outcome.ts';
import type { KnownTools } from './known-tools.ts';
import type { Tries } from './tries.ts';

/** The parts of a client that a call needs. */
export interface CallPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly settings: ClientSettings;
  readonly tools: KnownTools;
  /** Whether the next connection reaches the same server, which knows the idempotency keys. */
  readonly remembersKeys: boolean;
}

/** A call that goes on as a task. Its progress arrives until `endProgress` is called. */
export interface CreatedTask extends TaskOutcome {
  endProgress(): void;
}

/** The outcome of one round whose call needs answers to continue. */
export type RequiredInput = Extract<Outcome, { resultType: 'input_required' }>;

/** How a call is sent. */
export interface Sending {
  /** Whether a task is a valid result. */
  readonly acceptsTask: boolean;
  /** Called each time the request is sent. */
  readonly onSent?: (() => void) | undefined;
  /** One round alone, with the answers to the one before it. */
  readonly single?: { readonly round: Round | undefined };
}

/** One attempt of a call. */
export class Attempt {
  readonly #connection: Connection;
  readonly #method: string;
  readonly #ports: CallPorts;
  readonly #options: CallOptions;
  #id: RequestId | undefined;
  /** The request to which the server answered that it requires input. */
  #begunId: RequestId | undefined;
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

  async send(
    params: Fields | undefined,
    { acceptsTask, onSent, single }: Sending,
  ): Promise<Done | CreatedTask | RequiredInput> {
    const { progress, timeoutMs } = this.#ports.settings;
    const { timeoutMs: callTimeoutMs = timeoutMs, signal, answers, onLog, logLevel } = this.#options;
    this.#inputWasRequired = single?.round !== undefined;
    const request = {
      timeoutMs: callTimeoutMs,
      acceptsTask,
      answers,
      ...(signal !== undefined && { signal }),
      ...(logLevel !== undefined && { logLevel }),
      sent: (id: RequestId) => {
        if (answers !== undefined) this.#answerBy(id, answers);
        if (onLog !== undefined) this.#logTo(id, onLog);
        this.#id = id;
        onSent?.();
      },
      onInputRequired: () => {
        this.#inputWasRequired = true;
        this.#begunId = this.#id;
      },
    };
    const isQuick = needsNoProgress(this.#method) && this.#options.onProgress === undefined && onLog === undefined;
    if (isQuick && single === undefined)
      return (await this.#connection.conversation.call(
        this.#method,
        withMeta(params, this.#options, undefined),
        request,
      )) as Done;
    const token = progress.begin((notified) => this.#onProgress(notified));
    let isTask = false;
    try {
      const sent = withMeta(params, this.#options, token);
      const { conversation } = this.#connection;
      const outcome: Outcome = await (single === undefined
        ? conversation.call(this.#method, sent, request)
        : conversation.round(this.#method, sent, single.round, request));
      if (outcome.resultType !== 'task') return outcome;
      isTask = true;
      return { ...outcome, endProgress: () => progress.end(token) };
    } finally {
      // The token of a call stays valid as long as its task.
      if (!isTask) progress.end(token);
      if (answers !== undefined && this.#id !== undefined) this.#connection.callAnswers.delete(this.#id);
      if (onLog !== undefined && this.#id !== undefined) this.#connection.callLogs.delete(this.#id);
    }
  }

  /** Every round of a call is a request of its own. */
  #answerBy(id: RequestId, answers: ClientHandlers): void {
    const { callAnswers } = this.#connection;
    if (this.#id !== undefined) callAnswers.delete(this.#id);
    callAnswers.set(id, this.#ports.settings.urlElicitations.answersOf(answers));
  }

  #logTo(id: RequestId, onLog: (entry: LogEntry) => void): void {
    const { callLogs } = this.#connection;
    if (this.#id !== undefined) callLogs.delete(this.#id);
    callLogs.set(id, onLog);
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

  /** Throws the error for the caller, or waits until the call can be sent again. */
  async waitToRetry(error: unknown, tries: Tries, repeatable: boolean): Promise<void> {
    const { supervisor } = this.#ports;
    if (closedByClient(error)) throw error.cause;
    const outcome = this.#outcomeOf(error);
    if (outcome !== 'unsent') tries.arrived(this.#lastSent(error));
    if (
      outcome === 'settled' &&
      !supervisor.isClosing &&
      needsRediscovery(error) &&
      !(await stillServes(this.#connection))
    ) {
      this.#connection.close(serverReplaced(error));
      if (!this.#inputWasRequired && tries.count < maxTries) return this.#connectionClosed();
    }
    const { isClosing } = supervisor;
    const isFinal = outcome === 'settled' && !(repeatable && isTemporary(error));
    if (isFinal || (isClosing && isCutOff(error))) throw error;
    if (isConnectionLost(error) && !isClosing) this.#connection.close(error as Error);
    if (outcome === 'unknown') {
      const isEnd = !repeatable || isOutcomeLost(error);
      // Of a request that changes nothing, it does not matter.
      if (isEnd || !isIdempotent(this.#method)) tries.mayHaveRun(error as Error);
      if (isEnd) throw error;
    }
    if (supervisor.isClosed || tries.isLast(error)) throw error;
    if (this.#connection.isClosed || isConnectionLost(error)) return this.#connectionClosed();
    if (isTemporary(error) || (tries.isPromised && outcome === 'unknown')) return this.#pause(error, tries);
    if (isUnavailable(error) || error instanceof RpcError) throw error;
  }

  /** A call that has required input was begun, also if its next round was refused or not sent. */
  #outcomeOf(error: unknown): FailureOutcome {
    const outcome = outcomeOf(error);
    if (!this.#inputWasRequired || outcome !== 'unsent') return outcome;
    return isRefused(error) ? 'settled' : 'unknown';
  }

  /** The last request that may have arrived. A round that was not sent has an id that the server has never seen. */
  #lastSent(error: unknown): RequestId | undefined {
    return outcomeOf(error) === 'unsent' ? (this.#begunId ?? this.#id) : this.#id;
  }

  async #connectionClosed(): Promise<void> {
    await this.#connection.closed;
  }

  /** Pauses before the next attempt, if the call has so much time left. */
  async #pause(error: unknown, tries: Tries): Promise<void> {
    const ms = tries.nextPauseMs(error);
    if (ms === undefined) throw error;
    const { supervisor } = this.#ports;
    await supervisor.pause(ms, this.#options.signal);
    if (supervisor.isClosed) throw error;
  }
}

/** Whether the call failed because the connection closed, and not because the server is unreachable. */
const isCutOff = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'connection-closed';

/** Whether this side closed the connection since it could not answer a server request, as the test kit does. */
const closedByClient = (error: unknown): error is Error & { cause: TenonError } =>
  isCutOff(error) && error.cause instanceof TenonError && error.cause.code === 'server-request-failed';

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
