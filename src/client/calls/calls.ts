/** Sends the requests of a user over the current connection: at most once, unless the call may be repeated. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Done, Outcome } from '../../protocol/neutral.ts';
import type { CallOptions, RoundOptions, ToolCallOptions } from '../api/client.ts';
import { needForRequest } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import type { WaitForConnection } from '../reconnect/waiting-calls.ts';
import { isIdempotent } from '../retry/failure-outcome.ts';
import { Attempt, type CallPorts, type CreatedTask, type RequiredInput, type Sending } from './attempt.ts';
import { checkCall, checkDeclared, checkRound } from './call-options.ts';
import { notFinished, withDeadline } from './deadline.ts';
import type { KnownTools } from './known-tools.ts';
import { namingCall, notSent, shownCall } from './shown-call.ts';
import { Tries } from './tries.ts';

/** Sends requests, if the server declared the capability that they need. */
export interface RequestSender {
  /** `onSent` is called each time the request is sent. */
  request(method: string, params?: Fields, options?: CallOptions, onSent?: () => void): Promise<Done>;
}

/** Calls tools, whose results may be tasks. */
export interface ToolCaller extends RequestSender {
  /** Resolves with a task only if the call may become one: in a session by its params, otherwise unless `task` is false. */
  callTool(params: Fields, options?: ToolCallOptions): Promise<Done | CreatedTask>;
  /** Sends one round of a call. The caller answers the input that it requires. */
  round(method: string, params?: Fields, options?: RoundOptions): Promise<Outcome>;
}

const noOptions: CallOptions = {};
const withoutTask: Sending = { acceptsTask: false };
const asTask: Sending = { acceptsTask: true };

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
    const sending = onSent === undefined ? withoutTask : { acceptsTask: false, onSent };
    return this.#request(method, params, options, sending) as Promise<Done>;
  }

  callTool(params: Fields, options?: ToolCallOptions): Promise<Done | CreatedTask> {
    const sending = options?.task === false ? withoutTask : asTask;
    return this.#request('tools/call', params, options, sending) as Promise<Done | CreatedTask>;
  }

  async round(method: string, params?: Fields, roundOptions: RoundOptions = {}): Promise<Outcome> {
    const { round, ...options } = roundOptions;
    checkRound(method, round);
    const sending = { acceptsTask: method === 'tools/call' && options.task !== false, single: { round } };
    const outcome = await this.#request(method, params, options, sending);
    if (outcome.resultType !== 'task') return outcome;
    outcome.endProgress();
    return { resultType: 'task', task: outcome.task };
  }

  async #request(
    method: string,
    params: Fields | undefined,
    ownOptions: CallOptions | undefined,
    sending: Sending,
  ): Promise<Done | CreatedTask | RequiredInput> {
    checkCall(method, params, ownOptions);
    const options = ownOptions ?? noOptions;
    if (options.answers !== undefined) checkDeclared(method, options.answers, this.settings.urlElicitations.answers);
    this.supervisor.callStarted();
    try {
      return options.maxTotalTimeoutMs === undefined
        ? await this.#sendUntilSettled(method, params, options, sending)
        : await this.#sendWithin(options.maxTotalTimeoutMs, method, params, options, sending);
    } finally {
      this.supervisor.callFinished();
    }
  }

  #sendWithin(
    totalMs: number,
    method: string,
    params: Fields | undefined,
    options: CallOptions,
    sending: Sending,
  ): Promise<Done | CreatedTask | RequiredInput> {
    return withDeadline(
      this.settings.deadlines,
      totalMs,
      options.signal,
      () => notFinished(method, params, totalMs),
      (signal) => this.#sendUntilSettled(method, params, { ...options, signal }, sending),
    );
  }

  /** Waits for a connection; one that was sent before for no longer than it is sent again. The error names the call. */
  async #waitToSend(
    method: string,
    params: Fields | undefined,
    { timeoutMs = this.settings.timeoutMs, signal }: CallOptions,
    tries: Tries | undefined,
  ): Promise<Connection> {
    const limits = tries === undefined ? { timeoutMs } : waitOf(tries);
    try {
      return await this.supervisor.waitForConnection({ ...limits, signal });
    } catch (error) {
      const named = notSent(error, method, params);
      throw tries === undefined ? named : tries.ended(named);
    }
  }

  async #sendUntilSettled(
    method: string,
    params: Fields | undefined,
    options: CallOptions,
    sending: Sending,
  ): Promise<Done | CreatedTask | RequiredInput> {
    const { supervisor } = this;
    let tries: Tries | undefined;
    let lastProgress = Number.NEGATIVE_INFINITY;
    for (;;) {
      const connection = supervisor.current ?? (await this.#waitToSend(method, params, options, tries));
      const attempt = new Attempt(connection, method, this, options, lastProgress);
      try {
        needForRequest(connection.conversation.revision, connection.capabilities, method);
        const done = await attempt.send(params, sending);
        supervisor.callAnswered();
        return done;
      } catch (error) {
        if (error instanceof RpcError) supervisor.callAnswered();
        lastProgress = attempt.lastProgress;
        tries ??= this.#firstFailed(method, params, options);
        const repeatable = mayRepeat(this, method, params, options);
        await tries.failed(attempt.waitToRetry(namingCall(error, method, params), tries, repeatable));
      }
    }
  }

  #firstFailed(method: string, params: Fields | undefined, options: CallOptions): Tries {
    const { timeoutMs = this.settings.timeoutMs } = options;
    const shown = shownCall(method, params);
    return new Tries({ method, shown, isPromised: isPromised(this, options), timeoutMs }, this.settings.deadlines);
  }
}

/** Whether the caller says that a call may be sent again: then it is, until its time limit. */
const isPromised = ({ remembersKeys }: CallPorts, { retryable, idempotencyKey }: CallOptions): boolean =>
  retryable ?? (idempotencyKey !== undefined && remembersKeys);

const waitOf = ({ leftMs, isPromised }: Tries): WaitForConnection => ({
  timeoutMs: Math.max(1, leftMs),
  untilTimeout: isPromised,
});

/** Whether a call may be sent again when its outcome is unknown. */
function mayRepeat(ports: CallPorts, method: string, params: Fields | undefined, options: CallOptions): boolean {
  if (isPromised(ports, options)) return true;
  if (options.retryable === false) return false;
  return isIdempotent(method) || (method === 'tools/call' && ports.tools.mayRepeat(params?.name as string));
}
