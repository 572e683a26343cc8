/** The server requests of one run: sends them, replays known answers, or ends the run so that the client answers. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { digestOf } from '../../lib/text/canonical-json.ts';
import { checkRequestOptions, noOptions } from '../checks/context-arguments.ts';
import type { StepOptions, StepRun } from '../definition/context.ts';
import type { ServerRequest, ServerRequestOptions } from '../definition/server-requests.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal, KnownAnswer } from '../ports/journal.ts';
import type { SentRequest } from '../ports/link.ts';
import { clientSupports, runsAsTask } from './client-support.ts';
import { malformed } from './input-responses.ts';
import { copyOf, jsonResult } from './json-copy.ts';
import type { ProtocolForm } from './protocol-form.ts';
import {
  type ContextMethod,
  fitsMethod,
  messageOf,
  type ProtocolRequest,
  toProtocolRequest,
} from './protocol-request.ts';
import { afterTheCall, diverged, failureOf, keyMissing, misplaced, unsupportedRequest } from './request-errors.ts';
import { type KeyUse, KeyUses } from './run/key-uses.ts';
import { LimitedRejections, quiet } from './run/limited-rejections.ts';
import { runStep, stepKey } from './run/run-step.ts';
import type { SendRequest, ServerRequestPorts } from './run/server-request-ports.ts';
import { endOfSleep, repeatedSleep } from './run/sleep.ts';
import { UnreadPromises } from './run/unread-promises.ts';
import { WaitingRun } from './run/waiting-run.ts';

type State =
  | { readonly is: 'running' }
  /** The call has ended before the run: no more requests are sent, and those that wait are aborted. */
  | { readonly is: 'cancelled'; readonly reason: TenonError }
  | { readonly is: 'ended'; readonly reason: TenonError };

interface Requested {
  readonly key: string;
  readonly request: ProtocolRequest;
  readonly digest: string;
  readonly options: ServerRequestOptions;
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
  /** When sleeps end. */
  readonly #sleeps: Map<string, number>;
  /** The sleeps that have ended in this run. */
  readonly #slept = new Set<string>();
  readonly #uses: KeyUses;
  readonly #waiting: WaitingRun<Requested>;
  readonly #rejections: LimitedRejections;
  readonly #unread = new UnreadPromises();
  /** The requests of an earlier run that this one has not reached yet: until then it is a replay. */
  readonly #ahead: Set<string>;
  #abort: AbortController | undefined;
  #state: State = { is: 'running' };

  /** `responses` has the answers of this round; only answers to requests of the previous round count. */
  constructor(
    caller: CallerInfo,
    journal: Journal,
    responses: Readonly<Record<string, unknown>>,
    ports: ServerRequestPorts,
  ) {
    this.#caller = caller;
    this.#journal = journal;
    this.#ports = ports;
    const requested = Object.entries(journal.requested);
    const fresh = requested
      .filter(([key]) => Object.hasOwn(responses, key))
      .map(([key, digest]): [string, KnownAnswer] => [key, { digest, answer: responses[key] }]);
    this.#answers = new Map([...Object.entries(journal.answers), ...fresh]);
    this.#steps = new Map(Object.entries(journal.steps));
    this.#sleeps = new Map(Object.entries(journal.sleeps ?? {}));
    this.#uses = new KeyUses(journal);
    this.#waiting = new WaitingRun(ports.storeStep !== undefined, () => this.#suspend());
    this.#rejections = new LimitedRejections({
      isRunning: () => this.#state.is === 'running',
      failed: (error) => ports.failed(error),
    });
    this.#ahead = new Set(requested.length > 0 ? requested.map(([key]) => key) : this.#answeredKeys());
  }

  /** Whether the run still replays an earlier one, or has ended. */
  get replaying(): boolean {
    return this.#state.is !== 'running' || this.#ahead.size > 0;
  }

  /** The run sends no request of an earlier one again: another process has their answers. */
  endReplay(): void {
    this.#ahead.clear();
  }

  /** The journal for the next round. */
  journal(requested: Readonly<Record<string, string>> = {}): Journal {
    const { callId, round } = this.#journal;
    const known = new Set(this.#answeredKeys());
    const answers = Object.fromEntries([...this.#answers].filter(([key]) => known.has(key)));
    const steps = Object.fromEntries(this.#steps);
    const slept = this.#sleeps.size === 0 ? {} : { sleeps: Object.fromEntries(this.#sleeps) };
    const sleeping = this.#waiting.sleeping.length === 0 ? {} : { sleeping: this.#waiting.sleeping };
    return { callId, round, answers, steps, requested, ...slept, ...sleeping };
  }

  /** The keys of answers to requests that were sent; other answers count once their request is made. */
  #answeredKeys(): string[] {
    return [...this.#answers].filter(([, { digest }]) => digest !== undefined).map(([key]) => key);
  }

  /** One request per key and run: the same request again gets the same answer, another one is an error. */
  request(
    key: string,
    request: ServerRequest | ProtocolForm,
    by: ContextMethod,
    options: ServerRequestOptions = noOptions,
  ): Promise<unknown> {
    const answers =
      typeof key !== 'string'
        ? Promise.reject(keyMissing(by))
        : this.#state.is === 'running' && !fitsMethod(by, request)
          ? Promise.reject(misplaced(key, by))
          : this.#requestAll({ [key]: request }, options);
    return this.#unread.watch(shownCall(by, key), this.#rejections.report(answers.then((byKey) => byKey[key])));
  }

  /** Sends all requests in one round, or none if one of them cannot be sent. */
  requestAll(requests: Readonly<Record<string, ServerRequest>>): Promise<Record<string, unknown>> {
    return this.#unread.watch('ctx.requestInput(…)', this.#rejections.report(this.#requestAll(requests)));
  }

  /** A request whose answer the handler never read. */
  unread(): TenonError | undefined {
    return this.#unread.problem();
  }

  /** Stores the result of a step. A step that fails is not stored, and may be tried again. */
  step<T>(key: string, run: (step: StepRun) => T | Promise<T>, options: StepOptions = {}): Promise<T> {
    if (this.#state.is !== 'running') return this.#rejections.report(Promise.reject(this.#state.reason));
    if (typeof key !== 'string') return this.#rejections.report(Promise.reject(keyMissing('step')));
    const name = `step ${key}`;
    const forget = (error: unknown): never => {
      this.#running.delete(name);
      throw error;
    };
    return quiet(this.#once(name, () => this.#step(key, run, options).catch(forget)) as Promise<T>);
  }

  /** A task ends its run to sleep; a call sleeps in this process. A later run sleeps for the remaining time. */
  sleep(key: string, ms: number): Promise<void> {
    if (this.#state.is !== 'running') return this.#rejections.report(Promise.reject(this.#state.reason));
    if (this.#slept.has(key)) return this.#rejections.report(Promise.reject(repeatedSleep(key)));
    const slept = this.#once(`sleep ${key}`, () => this.#sleep(key, ms)).then(() => void this.#slept.add(key));
    return this.#rejections.report(slept);
  }

  /** Ends the run with its journal: the call continues elsewhere. */
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
    requests: Readonly<Record<string, ServerRequest | ProtocolForm>>,
    options: ServerRequestOptions = noOptions,
  ): Promise<Record<string, unknown>> {
    if (this.#state.is !== 'running') throw this.#state.reason;
    checkRequestOptions(options);
    const requested = Object.entries(requests).map(([key, request]) => this.#requestFor(key, request, options));
    for (const { key, digest } of requested) {
      if ((this.#requested.get(key) ?? digest) !== digest) throw diverged(key);
      this.#use(key, 'request');
      if ((this.#answers.get(key)?.digest ?? digest) !== digest) throw this.#diverged(diverged(key));
      this.#requested.set(key, digest);
    }
    const answers = requested.map(
      async (one) => [one.key, await this.#once(`request ${one.key}`, () => this.#request(one))] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  }

  #use(key: string, as: KeyUse): void {
    try {
      this.#uses.use(key, as);
    } catch (error) {
      throw this.#diverged(error as TenonError);
    }
  }

  /** A task whose handler has changed fails, since every later run would fail too. A call leaves it to the handler. */
  #diverged(error: TenonError): TenonError {
    return this.#ports.storeStep === undefined ? error : this.#fail(failureOf(error), true);
  }

  #requestFor(key: string, request: ServerRequest | ProtocolForm, options: ServerRequestOptions): Requested {
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
    if (this.#ports.send === undefined) return this.#waiting.park({ key: one.key, request: one });
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

  /** A request and its options, which a later run uses too. */
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
    this.#waiting.happened();
    if (read instanceof Error) throw read;
    if (read.ok) return read.value;
    throw this.#fail(malformed(key, read.problem));
  }

  async #step<T>(key: string, run: (step: StepRun) => T | Promise<T>, options: StepOptions): Promise<T> {
    this.#use(key, 'step');
    const known = this.#steps.get(key);
    if (known !== undefined) {
      this.#waiting.happened();
      return copyOf(known.value) as T;
    }
    const checked = async (step: StepRun): Promise<unknown> => jsonResult(key, await run(step));
    const checkRunning = (): void => {
      if (this.#state.is !== 'running') throw this.#state.reason;
    };
    const { storeStep = runStep } = this.#ports;
    const stored = storeStep(stepKey(this.#journal.callId, key), checked, options, checkRunning);
    const value = await this.#waiting.whileRunning(stored);
    if (this.#state.is === 'ended') throw this.#state.reason;
    this.#steps.set(key, { value });
    return copyOf(value) as T;
  }

  async #sleep(key: string, ms: number): Promise<void> {
    const { sleep } = this.#ports;
    this.#use(key, 'sleep');
    const until = this.#sleeps.get(key) ?? endOfSleep(key, ms, sleep);
    this.#sleeps.set(key, until);
    const leftMs = until - sleep.now();
    if (leftMs <= 0) return this.#waiting.happened();
    if (sleep.wait === undefined) return this.#waiting.park({ key });
    this.#abort ??= new AbortController();
    await sleep.wait(leftMs, this.#abort.signal);
    if (this.#state.is !== 'running') throw this.#state.reason;
  }

  /** Ends the run with all its waits, so that concurrent requests are answered in one round. */
  #suspend(): void {
    if (this.#state.is === 'ended') return;
    if (this.#state.is === 'cancelled') return this.#waiting.rejectAll(this.#state.reason);
    const reason = this.#end('The run ended to wait; the handler runs again, with what it waited for.');
    const waiting = this.#waiting.requests;
    const requested = Object.fromEntries(waiting.map(({ key, digest }) => [key, digest]));
    const requests = Object.fromEntries(waiting.map((one) => [one.key, this.#sent(one)]));
    this.#ports.suspended(requests, this.journal(requested));
    this.#waiting.rejectAll(reason);
  }

  #fail(error: RpcError, isReported = false): TenonError {
    if (this.#state.is === 'ended') return this.#state.reason;
    const reason = this.#end(error.message);
    this.#ports.failed(error, isReported);
    this.#waiting.rejectAll(reason);
    return reason;
  }

  #end(message: string): TenonError {
    const reason = new TenonError('input-required', message);
    this.#state = { is: 'ended', reason };
    this.#abort?.abort(message);
    return reason;
  }
}

const shownCall = (by: ContextMethod, key: string): string =>
  by === 'roots' ? 'ctx.listRoots()' : `ctx.${by}(${JSON.stringify(key)}, …)`;
