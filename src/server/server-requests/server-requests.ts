/** The server requests of one run: sends them, replays known answers, or ends the run so that the client answers. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { digestOf } from '../../protocol/canonical-json.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import { checkRequestOptions, noOptions } from '../checks/context-arguments.ts';
import type { StepOptions, StepRun } from '../definition/context.ts';
import type { ServerRequest, ServerRequestOptions } from '../definition/server-requests.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal, KnownAnswer } from '../ports/journal.ts';
import type { SentRequest, TaskMemory } from '../ports/link.ts';
import { clientSupports, runsAsTask } from './client-support.ts';
import { malformed } from './input-responses.ts';
import { copyOf, jsonCopy } from './json-copy.ts';
import {
  type ContextMethod,
  fitsMethod,
  messageOf,
  type ProtocolRequest,
  toProtocolRequest,
} from './protocol-request.ts';
import { afterTheCall, diverged, keyMissing, misplaced, notJson, unsupportedRequest } from './request-errors.ts';
import { runStep, stepKey } from './run-step.ts';

/** Called with the progress that the client reports on its answer. */
type OnProgress = (progress: ProgressUpdate) => void;

/**
 * Sends a request to the client and waits for the answer; an `RpcError` ends the call. `memory` is set for a request whose
 * task outlives the connection.
 */
export type SendRequest = (
  request: SentRequest,
  signal: AbortSignal,
  onProgress?: OnProgress,
  memory?: TaskMemory,
) => Promise<unknown>;

/** Runs a step, maybe more than once, and stores what it returned. Rejects if that cannot be stored. */
export type StoreStep = (
  key: string,
  run: (step: StepRun) => Promise<unknown>,
  options: StepOptions,
  checkRunning: () => void,
) => Promise<unknown>;

export interface ServerRequestPorts {
  /** Absent if a request ends the run. */
  readonly send?: SendRequest | undefined;
  /** The schemes that the URL of an elicitation may have. */
  readonly urlSchemes: readonly string[];
  /** A request is about to be sent, maybe again. */
  onRequest(key: string, request: InputRequest): void;
  /** Runs a step of a task and stores its result before it resolves; absent if steps are stored with the call. */
  readonly storeStep?: StoreStep | undefined;
  /** The run ends: the next one begins when these requests are answered. */
  suspended(requests: Readonly<Record<string, InputRequest>>, journal: Journal): void;
  /** The run ends: the call has failed, whether or not the handler catches the error. */
  failed(error: RpcError): void;
}

type State =
  | { readonly is: 'running' }
  /** The call has ended before the run: no more requests are sent, and those that wait are aborted. */
  | { readonly is: 'cancelled'; readonly reason: TenonError }
  | { readonly is: 'ended'; readonly reason: TenonError };

/** Further rejections come in a later task of the event loop, so that a handler that retries in a loop cannot block the process. */
const maxImmediateRejections = 1000;

interface Requested {
  readonly key: string;
  readonly request: ProtocolRequest;
  readonly digest: string;
  readonly options: ServerRequestOptions;
}

interface Parked extends Requested {
  readonly reject: (reason: TenonError) => void;
}

export class ServerRequests {
  readonly #caller: CallerInfo;
  readonly #journal: Journal;
  readonly #ports: ServerRequestPorts;
  readonly #answers: Map<string, KnownAnswer>;
  readonly #steps: Map<string, { readonly value?: unknown }>;
  /** The digests of the requests of this run so far. */
  readonly #requested = new Map<string, string>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #parked: Parked[] = [];
  /** The requests of an earlier run that this one has not reached yet: until then it is a replay. */
  readonly #ahead: Set<string>;
  #abort: AbortController | undefined;
  #raised = 0;
  #state: State = { is: 'running' };

  /** `given` has the answers of this round; only answers to requests of the previous round count. */
  constructor(
    caller: CallerInfo,
    journal: Journal,
    given: Readonly<Record<string, unknown>>,
    ports: ServerRequestPorts,
  ) {
    this.#caller = caller;
    this.#journal = journal;
    this.#ports = ports;
    const requested = Object.entries(journal.requested);
    const fresh = requested
      .filter(([key]) => Object.hasOwn(given, key))
      .map(([key, digest]): [string, KnownAnswer] => [key, { digest, answer: given[key] }]);
    this.#answers = new Map([...Object.entries(journal.answers), ...fresh]);
    this.#steps = new Map(Object.entries(journal.steps));
    this.#ahead = new Set(requested.length > 0 ? requested.map(([key]) => key) : this.#answeredKeys());
  }

  /** Whether the run still replays an earlier one, or has ended. */
  get replaying(): boolean {
    return this.#state.is !== 'running' || this.#ahead.size > 0;
  }

  /** The journal for the next round. */
  journal(requested: Readonly<Record<string, string>> = {}): Journal {
    const { callId, round } = this.#journal;
    const known = new Set(this.#answeredKeys());
    const answers = Object.fromEntries([...this.#answers].filter(([key]) => known.has(key)));
    return { callId, round, answers, steps: Object.fromEntries(this.#steps), requested };
  }

  /** The keys of answers to requests that were sent; other answers count once their request is made. */
  #answeredKeys(): string[] {
    return [...this.#answers].filter(([, { digest }]) => digest !== undefined).map(([key]) => key);
  }

  /** One request per key and run: the same request again gets the same answer, another one is an error. */
  request(
    key: string,
    request: ServerRequest,
    by: ContextMethod,
    options: ServerRequestOptions = noOptions,
  ): Promise<unknown> {
    const answers =
      typeof key !== 'string'
        ? Promise.reject(keyMissing(by))
        : this.#state.is === 'running' && !fitsMethod(by, request)
          ? Promise.reject(misplaced(key, by))
          : this.#requestAll({ [key]: request }, options);
    return this.#reported(answers.then((given) => given[key]));
  }

  /** Sends all requests in one round, or none if one of them cannot be sent. */
  requestAll(requests: Readonly<Record<string, ServerRequest>>): Promise<Record<string, unknown>> {
    return this.#reported(this.#requestAll(requests));
  }

  /** Stores the result of a step. A step that fails is not stored, and may be tried again. */
  step<T>(key: string, run: (step: StepRun) => T | Promise<T>, options: StepOptions = {}): Promise<T> {
    if (this.#state.is !== 'running') return this.#reported(Promise.reject(this.#state.reason));
    if (typeof key !== 'string') return this.#reported(Promise.reject(keyMissing('step')));
    const name = `step ${key}`;
    const forget = (error: unknown): never => {
      this.#running.delete(name);
      throw error;
    };
    return quiet(this.#once(name, () => this.#step(key, run, options).catch(forget)) as Promise<T>);
  }

  /** Ends the run with what it has done so far: the call continues elsewhere. */
  async leave(next: (journal: Journal) => void): Promise<never> {
    await Promise.allSettled(this.#running.values());
    if (this.#state.is !== 'running') throw this.#state.reason;
    const reason = this.#end('The call continues as a task; the handler runs again there.');
    next(this.journal());
    throw reason;
  }

  /** The call has ended: cancels the requests that wait for an answer, and sends no more. */
  cancel(reason: unknown): void {
    if (this.#state.is === 'running') this.#state = { is: 'cancelled', reason: afterTheCall() };
    this.#abort?.abort(reason);
  }

  async #requestAll(
    requests: Readonly<Record<string, ServerRequest>>,
    options: ServerRequestOptions = noOptions,
  ): Promise<Record<string, unknown>> {
    if (this.#state.is !== 'running') throw this.#state.reason;
    checkRequestOptions(options);
    const requested = Object.entries(requests).map(([key, request]) => this.#requestFor(key, request, options));
    for (const { key, digest } of requested) {
      if ((this.#requested.get(key) ?? this.#answers.get(key)?.digest ?? digest) !== digest) throw diverged(key);
      this.#requested.set(key, digest);
    }
    const answers = requested.map(
      async (one) => [one.key, await this.#once(`request ${one.key}`, () => this.#request(one))] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  }

  #requestFor(key: string, request: ServerRequest, options: ServerRequestOptions): Requested {
    const message = toProtocolRequest(key, request, this.#journal.callId, this.#ports.urlSchemes);
    if (!clientSupports(this.#caller, message.needs)) throw unsupportedRequest(message);
    this.#ports.onRequest(key, message);
    return { key, request: message, digest: digestOf(messageOf(message)), options };
  }

  #once(name: string, begin: () => Promise<unknown>): Promise<unknown> {
    const under = this.#running.get(name) ?? begin();
    this.#running.set(name, under);
    return under;
  }

  async #request(one: Requested): Promise<unknown> {
    const known = this.#answers.get(one.key);
    if (known !== undefined) return this.#accept(one, known.answer);
    // No earlier run has sent this request: the replay ends here.
    if (!this.#ahead.delete(one.key)) this.#ahead.clear();
    if (this.#ports.send === undefined) return this.#park(one);
    return this.#accept(one, await this.#send(one, this.#ports.send));
  }

  async #send(one: Requested, send: SendRequest): Promise<unknown> {
    this.#abort ??= new AbortController();
    try {
      return await send(this.#sent(one), this.#abort.signal, one.options.onProgress);
    } catch (error) {
      if (error instanceof RpcError) throw this.#fail(error);
      return error;
    }
  }

  /** A request and how it is sent, also by a later run. */
  #sent({ request, options: { task } }: Requested): SentRequest {
    const message = messageOf(request);
    if (task === undefined || !runsAsTask(this.#caller, message.method)) return message;
    return { ...message, task: task === true ? {} : task };
  }

  /** Answers are validated in every run: they are untrusted, and the schema of the request may have changed. */
  async #accept({ key, request, digest }: Requested, answer: unknown): Promise<unknown> {
    const read = answer instanceof Error ? answer : await request.read(copyOf(answer));
    if (this.#state.is === 'ended') throw this.#state.reason;
    this.#ahead.delete(key);
    this.#answers.set(key, { digest, answer });
    if (read instanceof Error) throw read;
    if (read.ok) return read.value;
    throw this.#fail(malformed(key, read.problem));
  }

  async #step<T>(key: string, run: (step: StepRun) => T | Promise<T>, options: StepOptions): Promise<T> {
    const known = this.#steps.get(key);
    if (known !== undefined) return copyOf(known.value) as T;
    const checked = async (step: StepRun): Promise<unknown> => jsonResult(key, await run(step));
    const checkRunning = (): void => {
      if (this.#state.is !== 'running') throw this.#state.reason;
    };
    const { storeStep = runStep } = this.#ports;
    const value = await storeStep(stepKey(this.#journal.callId, key), checked, options, checkRunning);
    if (this.#state.is === 'ended') throw this.#state.reason;
    this.#steps.set(key, { value });
    return copyOf(value) as T;
  }

  #park(one: Requested): Promise<never> {
    if (this.#parked.length === 0) queueMicrotask(() => this.#suspend());
    return new Promise<never>((_, reject) => this.#parked.push({ ...one, reject }));
  }

  /** Ends the run with all requests of this task, so that concurrent requests are answered in one round. */
  #suspend(): void {
    if (this.#state.is === 'ended') return;
    if (this.#state.is === 'cancelled') return this.#rejectParked(this.#state.reason);
    const reason = this.#end('The run ended to request input; the handler runs again with the answers.');
    const requested = Object.fromEntries(this.#parked.map(({ key, digest }) => [key, digest]));
    const requests = Object.fromEntries(this.#parked.map((one) => [one.key, this.#sent(one)]));
    this.#ports.suspended(requests, this.journal(requested));
    this.#rejectParked(reason);
  }

  /** The promise that a handler gets for its requests; rejections are limited by `#raise`. */
  #reported<T>(answers: Promise<T>): Promise<T> {
    return quiet(answers.catch((reason) => this.#raise(reason)));
  }

  /**
   * A handler that catches the rejection and requests again in a loop would block the event loop. Beyond a limit it is
   * rejected in a later task; if its run has ended, its promise never settles, and the call fails without it.
   */
  #raise(reason: unknown): Promise<never> {
    this.#raised += 1;
    if (this.#raised <= maxImmediateRejections) return Promise.reject(reason);
    if (this.#state.is === 'running') return new Promise((_, reject) => setTimeout(reject, 0, reason));
    this.#ports.failed(RpcError.from(reason));
    return new Promise(() => {});
  }

  #fail(error: RpcError): TenonError {
    if (this.#state.is === 'ended') return this.#state.reason;
    const reason = this.#end(error.message);
    this.#ports.failed(error);
    this.#rejectParked(reason);
    return reason;
  }

  #rejectParked(reason: TenonError): void {
    for (const { reject } of this.#parked) reject(reason);
  }

  #end(message: string): TenonError {
    const reason = new TenonError('input-required', message);
    this.#state = { is: 'ended', reason };
    this.#abort?.abort(message);
    return reason;
  }
}

/** A copy of what a step returned, as it will be read back. */
function jsonResult(key: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  const copy = jsonCopy(value, `The result of the step ${JSON.stringify(key)}`);
  if (!copy.ok) throw notJson(copy.place);
  return copy.value;
}

/** A handler that ends at its first rejection does not handle the others: they must not end the process. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
