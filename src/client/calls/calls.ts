/** Sends the requests of a user over the current connection: at most once, unless the call may be repeated. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import type { CallOptions, ToolCallOptions } from '../api/client.ts';
import { needForRequest } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import { isIdempotent } from '../retry/failure-outcome.ts';
import { Attempt, type CallPorts, type CreatedTask } from './attempt.ts';
import { checkCall } from './call-options.ts';
import { notFinished, withDeadline } from './deadline.ts';
import type { KnownTools } from './known-tools.ts';
import { namingCall, notSent } from './shown-call.ts';

/** Sends requests, if the server declared the capability that they need. */
export interface RequestSender {
  /** `onSent` is called each time the request is sent. */
  request(method: string, params?: Fields, options?: CallOptions, onSent?: () => void): Promise<Done>;
}

/** Calls tools, whose results may be tasks. */
export interface ToolCaller extends RequestSender {
  /** Resolves with a task only if the call may become one: in a session by its params, otherwise unless `task` is false. */
  callTool(params: Fields, options?: ToolCallOptions): Promise<Done | CreatedTask>;
}

const noOptions: CallOptions = {};

export class Calls implements ToolCaller, CallPorts {
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

  request(method: string, params?: Fields, options?: CallOptions, onSent?: () => void): Promise<Done> {
    return this.#request(method, params, options, false, onSent) as Promise<Done>;
  }

  callTool(params: Fields, options?: ToolCallOptions): Promise<Done | CreatedTask> {
    return this.#request('tools/call', params, options, options?.task !== false);
  }

  async #request(
    method: string,
    params: Fields | undefined,
    given: CallOptions | undefined,
    acceptsTask: boolean,
    onSent?: () => void,
  ): Promise<Done | CreatedTask> {
    checkCall(method, params, given);
    const options = given ?? noOptions;
    this.supervisor.callStarted();
    try {
      return options.maxTotalTimeoutMs === undefined
        ? await this.#sendUntilSettled(method, params, options, acceptsTask, onSent)
        : await this.#sendWithin(options.maxTotalTimeoutMs, method, params, options, acceptsTask, onSent);
    } finally {
      this.supervisor.callFinished();
    }
  }

  #sendWithin(
    totalMs: number,
    method: string,
    params: Fields | undefined,
    options: CallOptions,
    acceptsTask: boolean,
    onSent: (() => void) | undefined,
  ): Promise<Done | CreatedTask> {
    return withDeadline(
      this.settings.deadlines,
      totalMs,
      options.signal,
      () => notFinished(method, params, totalMs),
      (signal) => this.#sendUntilSettled(method, params, { ...options, signal }, acceptsTask, onSent),
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
    acceptsTask: boolean,
    onSent: (() => void) | undefined,
  ): Promise<Done | CreatedTask> {
    const { supervisor } = this;
    let pausedMs = 0;
    let lastProgress = Number.NEGATIVE_INFINITY;
    for (let attempts = 1; ; attempts++) {
      const timeoutMs = options.timeoutMs ?? this.settings.timeoutMs;
      const connection = supervisor.current ?? (await this.#waitToSend(method, params, timeoutMs, options.signal));
      needForRequest(connection.conversation.revision, connection.capabilities, method);
      const attempt = new Attempt(connection, method, this, options, lastProgress);
      try {
        const done = await attempt.send(params, acceptsTask, onSent);
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

/** Whether a call may be sent again when its outcome is unknown. */
function mayRepeat(ports: CallPorts, method: string, params: Fields | undefined, options: CallOptions): boolean {
  if (options.retryable !== undefined) return options.retryable;
  if ((options.idempotencyKey !== undefined && ports.remembersKeys) || isIdempotent(method)) return true;
  return method === 'tools/call' && ports.tools.mayRepeat(params?.name as string);
}
