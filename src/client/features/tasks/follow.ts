/** Follows a task to its end: polls it, answers what it requires, and survives connections that break. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { namedError } from '../../../protocol/error-names.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { answerAll, type InputRequests } from '../../answers/answering.ts';
import type { CallOptions, ToolCallOptions } from '../../api/client.ts';
import type { Task } from '../../api/tasks.ts';
import type { RequestSender } from '../../calls/calls.ts';
import { withDeadline } from '../../calls/deadline.ts';
import type { ClientSettings } from '../../connection/settings.ts';
import type { ConnectionSupervisor } from '../../reconnect/supervisor.ts';
import { retryAfterOf } from '../../retry/backoff.ts';
import { isOutage, outcomeOf } from '../../retry/failure-outcome.ts';
import {
  abortedTask,
  asNotFound,
  cancelledTask,
  isNotFound,
  notFollowed,
  outcomeLost,
  throwRefusal,
  timedOut,
} from './task-errors.ts';
import { type FetchedTask, isOver, isWhole, nextStep, pollMs, readTask, withOutcome } from './task-fields.ts';
import type { TaskHints } from './task-hints.ts';
import { canCancel } from './task-support.ts';

export interface FollowPorts {
  readonly calls: RequestSender;
  readonly supervisor: ConnectionSupervisor;
  readonly settings: ClientSettings;
  readonly hints: TaskHints;
}

/** The limits of following: `maxTotalTimeoutMs` is what is left of it. */
export type FollowOptions = Pick<
  ToolCallOptions,
  'signal' | 'timeoutMs' | 'maxTotalTimeoutMs' | 'answers' | 'onTaskStatus'
>;

/** The longest pause while the server cannot be reached. */
const maxPauseMs = 30_000;

/** How long to pause after so many failures, and at least as long as the server asks for. */
const outagePauseMs = (failures: number, error: unknown): number =>
  Math.max(Math.min(maxPauseMs, 500 * 2 ** Math.min(failures, 10)), retryAfterOf(error) ?? 0);

/** Resolves with the result of the call, or rejects with its error. Aborting cancels the task. */
export async function followTask(
  ports: FollowPorts,
  taskId: string,
  first: FetchedTask | undefined,
  options: FollowOptions,
): Promise<Fields> {
  const { signal, timeoutMs, answers, maxTotalTimeoutMs: totalMs, onTaskStatus } = options;
  const report = createStatusReports(ports, taskId, first?.task, onTaskStatus);
  const run = (stop?: AbortSignal): Promise<Fields> =>
    new Following(ports, taskId, { timeoutMs, answers, signal: stop }, report.fetched).run(first);
  try {
    if (totalMs === undefined) return await run(signal);
    return await withDeadline(ports.settings.deadlines, totalMs, signal, timedOut, run);
  } catch (error) {
    if (signal?.aborted) throw abortedTask(taskId, signal.reason, cancelInBackground(ports, taskId));
    throw notFollowed(error, taskId);
  } finally {
    report.end();
    ports.hints.forget(taskId);
  }
}

/** Passes on the status of a task when it has changed, whether it was read or the server notified of it. */
function createStatusReports(
  { hints, settings }: FollowPorts,
  taskId: string,
  first: Task | undefined,
  onTaskStatus: ((task: Task) => void) | undefined,
): { fetched(task: Task): void; end(): void } {
  if (onTaskStatus === undefined) return { fetched() {}, end() {} };
  let last = first;
  const fetched = (task: Task): void => {
    const isSame = last?.status === task.status && last.statusMessage === task.statusMessage;
    last = task;
    if (!isSame) settings.callUser('onTaskStatus', () => onTaskStatus(task));
  };
  return { fetched, end: hints.onStatus(taskId, (fields) => fetched(readTask(fields).task)) };
}

/** Reads a task, also while connections break. */
export const fetchTask = (ports: FollowPorts, taskId: string, options: CallOptions = {}): Promise<FetchedTask> =>
  new Following(ports, taskId, options).fetch();

/** The signal of the call is aborted, so this request has limits of its own. Returns whether it was sent. */
function cancelInBackground({ calls, supervisor, settings }: FollowPorts, taskId: string): boolean {
  const { current } = supervisor;
  if (current === undefined || !canCancel(current)) return false;
  calls.request('tasks/cancel', { taskId }).catch((error: unknown) => {
    // It may be over already.
    if (!(error instanceof RpcError)) settings.warn(notFollowed(error, taskId) as Error);
  });
  return true;
}

class Following {
  readonly #ports: FollowPorts;
  readonly #taskId: string;
  readonly #options: Pick<CallOptions, 'timeoutMs' | 'signal' | 'answers'>;
  /** The keys of requests that were answered: the server may show them once more. */
  readonly #answered = new Set<string>();
  /** Gets each task that was read. */
  readonly #fetched: (task: Task) => void;
  #rounds = 0;
  /** Requests for the result that the server refused for the time being. */
  #refusedResults = 0;
  #hasWaitedForOutcome = false;

  constructor(
    ports: FollowPorts,
    taskId: string,
    {
      timeoutMs,
      signal,
      answers,
    }: { readonly [Name in 'timeoutMs' | 'signal' | 'answers']?: CallOptions[Name] | undefined },
    fetched: (task: Task) => void = () => {},
  ) {
    this.#fetched = fetched;
    this.#ports = ports;
    this.#taskId = taskId;
    this.#options = {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { signal }),
      ...(answers && { answers }),
    };
  }

  async run(first: FetchedTask | undefined): Promise<Fields> {
    const begun = first && withOutcome(first, this.#ports.hints.outcomeOf(this.#taskId));
    for (let fetched = begun && isWhole(begun) ? begun : await this.fetch(); ; fetched = await this.fetch()) {
      if (fetched.lacksOutcome && !this.#hasWaitedForOutcome) {
        this.#hasWaitedForOutcome = true;
        await this.#wait(pollMs(fetched.task));
        continue;
      }
      const step = nextStep(fetched, this.#revision.tasks?.withContent !== undefined, this.#answered);
      switch (step.kind) {
        case 'wait':
          await this.#wait(step.ms);
          break;
        case 'answer':
          await this.#answer(step.requests, pollMs(fetched.task));
          break;
        case 'request-result': {
          const result = await this.#requestResult(isOver(fetched.task));
          if (result !== undefined) return this.#read(result);
          break;
        }
        case 'complete':
          return this.#read(step.result);
        case 'fail':
          throw this.#failure(RpcError.answered(step.error));
        case 'cancelled':
          throw cancelledTask(this.#taskId, fetched.task.statusMessage);
      }
    }
  }

  async fetch(): Promise<FetchedTask> {
    const fetched = await this.#fetchOutcome();
    this.#fetched(fetched.task);
    return fetched;
  }

  async #fetchOutcome(): Promise<FetchedTask> {
    const taskId = this.#taskId;
    const { hints } = this.#ports;
    try {
      return withOutcome(readTask(await this.#request('tasks/get')), hints.outcomeOf(taskId));
    } catch (error) {
      const outcome = hints.outcomeOf(taskId);
      if (outcome === undefined || !isNotFound(error)) throw error;
      return readTask(outcome);
    }
  }

  /** The error that the plain call would have had. */
  #failure(error: RpcError): unknown {
    if (outcomeOf(error) === 'unknown') return outcomeLost(this.#taskId, error);
    return namedError(this.#revision.errorNumbers, error, 'tools/call');
  }

  /** The task and its connections are independent: while the server cannot be reached, the request is repeated. */
  async #request(method: string, more: Fields = {}): Promise<Fields> {
    const { calls, supervisor, settings } = this.#ports;
    const begun = settings.deadlines.now();
    for (let failures = 1; ; failures++) {
      try {
        return (await calls.request(method, { taskId: this.#taskId, ...more }, this.#options)).result;
      } catch (error) {
        const isLast = supervisor.isClosed || settings.deadlines.now() - begun >= settings.taskOutageMs;
        if (isLast || this.#options.signal?.aborted || !isOutage(error)) throw asNotFound(error, this.#taskId);
        await this.#wait(outagePauseMs(failures, error));
      }
    }
  }

  /** Ends early when the server notifies of the task, the caller cancels, or the client closes. */
  async #wait(ms: number): Promise<void> {
    const { supervisor, hints } = this.#ports;
    const { signal } = this.#options;
    await hints.wait(supervisor, this.#taskId, ms, signal);
    signal?.throwIfAborted();
  }

  async #answer(requests: InputRequests, everyMs: number): Promise<void> {
    const { maxInputRounds } = this.#ports.settings;
    if (++this.#rounds > maxInputRounds)
      throw new TenonError(
        'too-many-input-rounds',
        `The task required input more than ${maxInputRounds} times (limits.maxInputRounds).`,
      );
    const inputResponses = await this.#answersTo(requests, everyMs);
    for (const key of Object.keys(requests)) this.#answered.add(key);
    if (inputResponses === undefined) return;
    await this.#request('tasks/update', { inputResponses }).catch((error: unknown) =>
      throwRefusal(error, () => this.fetch()),
    );
  }

  /** None if nothing waits for them any more: then the user need not answer. */
  async #answersTo(requests: InputRequests, everyMs: number): Promise<Fields | undefined> {
    const { settings, hints } = this.#ports;
    const { signal, answers } = this.#options;
    const [needless, done] = [new AbortController(), new AbortController()];
    const signals = [hints.closedSignal, needless.signal, ...(signal === undefined ? [] : [signal])];
    const answered = answerAll(settings.answererFor(answers), 'tools/call', requests, signals);
    this.#untilNeedless(requests, everyMs, done.signal)
      .then(() => needless.abort('the task does not wait for this answer any more'))
      // The answer itself will meet the error.
      .catch(() => {});
    try {
      return await answered;
    } catch (error) {
      if (needless.signal.aborted && !done.signal.aborted) return undefined;
      throw error;
    } finally {
      done.abort();
    }
  }

  /** Resolves when the task is over, or waits for other answers. While it works it may still wait for these. */
  async #untilNeedless(requests: InputRequests, firstMs: number, signal: AbortSignal): Promise<void> {
    const { timeoutMs } = this.#options;
    const polling = new Following(this.#ports, this.#taskId, { timeoutMs, signal }, this.#fetched);
    for (let nextMs = firstMs; ; ) {
      await polling.#wait(nextMs);
      const { task } = await polling.fetch();
      nextMs = pollMs(task);
      const { status, inputRequests = {} } = task;
      const isOpen = status !== 'input_required' || Object.keys(requests).some((key) => key in inputRequests);
      if (isOver(task) || !isOpen) return;
    }
  }

  /** The result; nothing yet if the server did not send it in time, since the task may take longer. */
  async #requestResult(isNow: boolean): Promise<Fields | undefined> {
    if (isNow) return this.#request('tasks/result');
    try {
      return (await this.#ports.calls.request('tasks/result', { taskId: this.#taskId }, this.#options)).result;
    } catch (error) {
      if (this.#options.signal?.aborted) throw error;
      if (isOutage(error) && !this.#ports.supervisor.isClosed) {
        // A server that refuses at once would get the next request at once.
        if (!isTimeout(error)) await this.#wait(outagePauseMs(++this.#refusedResults, error));
        return undefined;
      }
      if (!(error instanceof RpcError)) throw error;
      // A cancelled task has no result, and each server reports that in its own way.
      const { task } = await this.fetch();
      throw task.status === 'cancelled' ? cancelledTask(this.#taskId, task.statusMessage) : error;
    }
  }

  /** The result of the call is checked as if the call itself had returned it. */
  async #read(result: Fields): Promise<Fields> {
    const revision = this.#revision;
    const read = revision.wire.readResult(revision, 'client', 'tools/call', result);
    if (read.ok && read.value.resultType === 'complete') return read.value.result;
    const text = read.ok ? `its type is ${read.value.resultType}` : (await read.refusal.explain()).text;
    throw new TenonError('invalid-result', `The result of the task is not valid: ${text}.`, {
      hint: 'This is a bug of the server: report it to its author.',
      details: { taskId: this.#taskId },
    });
  }

  get #revision(): Revision {
    return this.#ports.supervisor.lastKnown.conversation.revision;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof TenonError && error.code === 'timeout';
