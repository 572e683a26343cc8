/** One call at another server. Its handler runs once there, however many rounds the call has here. */
import { createDeferred } from '../lib/values/deferred.ts';
import { type Fields, isRecord } from '../lib/values/is.ts';
import { shareOf } from '../ports/share.ts';
import type { LoggingLevel } from '../protocol/generated/types/records.ts';
import type { BaseContext, Context } from '../server/definition/context.ts';
import type { ServerRequestOptions } from '../server/definition/server-requests.ts';
import { type BridgedRun, type bridgedRun, runOf } from '../server/features/bridged-run.ts';
import type { ParkedCall, ParkedCalls } from './parked-calls.ts';
import type { RemoteCall, RemoteRequest, RemoteServer, Reply } from './remote-call.ts';
import { fromReply } from './reply-errors.ts';
import { inputRequestOf, isForClients, methodNotFound, replyErrorOf } from './server-request.ts';

/** What the calls of one server in front share. */
export interface CallPorts {
  readonly parked: ParkedCalls<ForwardedCall>;
  /** What runs them, where several share `parked`. */
  readonly scope?: number;
  /** Whether calls are tasks of their callers. Default `false`. */
  readonly isTask?: boolean;
  /** Set where another process may continue a call. */
  readonly requests?: StoredRequests;
  dropped(method: string, reason: string): void;
}

/** The requests of a call that another process may continue: it must give no answer to another request than the one it is for. */
export interface StoredRequests {
  /** The key of a request: the same for the same request in every process. */
  keyOf(request: RemoteRequest): string;
  /** Resolves when it is stored that the answer is given. */
  given(ctx: Context, key: string): Promise<void>;
}

/** What runs a call, until its lease is released. */
export interface CallLease {
  readonly bridged: {
    readonly instance: RemoteServer;
    /** The client has answered with its roots. */
    answeredRoots?(roots: Fields): void;
  };
  release(): void;
}

/** What the names of the requests of a call for its client begin with. */
export const requestKeys = 'bridge-';

/** Names the requests of a call for its client, in the order of the other server. */
const requestKey = (count: number): string => `${requestKeys}${count}`;

/** What the run that waits for a call can do: that of a handler here, or one at another process. */
export interface WaitingRun
  extends Pick<Context, 'signal' | 'callId' | 'log' | 'reportProgress' | 'completeElicitation'> {
  readonly [bridgedRun]: Pick<BridgedRun, 'forward' | 'isSuspended'>;
}

/** That of a completion can request nothing. */
type AnyRun = BaseContext | WaitingRun;

/** The run of the handler that now waits for the call. */
interface Run {
  readonly ctx: AnyRun;
  readonly sent: Set<string | number>;
  resolve(result: Fields): void;
  reject(error: unknown): void;
  stop(): void;
}

export class ForwardedCall implements RemoteCall, ParkedCall {
  readonly repeat: string | undefined;
  readonly isTask: boolean;
  readonly #ports: CallPorts;
  readonly #lease: CallLease;
  /** Whose share it counts for. */
  #share: string | undefined;
  #id = 0;
  #run: Run | undefined;
  #reply: Reply | Error | undefined;
  /** Requests of the other server that are not answered, by the keys under which the client gets them. */
  readonly #requests = new Map<string, RemoteRequest>();
  #requestCount = 0;
  /** Until the call asks its client: what it then holds is measured by them. */
  #held: readonly unknown[] | undefined;
  /** Gives back the room of a call that has asked. */
  #leaveRoom: (() => void) | undefined;
  /** The keys of URL elicitations, by their ids. */
  readonly #openUrls = new Map<string, string>();
  #isScheduled = false;

  constructor(ports: CallPorts, lease: CallLease, repeat: string | undefined) {
    this.repeat = repeat;
    this.isTask = ports.isTask ?? false;
    this.#ports = ports;
    this.#lease = lease;
  }

  /** Begins the call, and waits for its result. */
  begin(ctx: BaseContext, method: string, params: Fields, extra: Fields): Promise<Fields> {
    const result = this.continue(ctx);
    this.#held = [params, extra.requestInfo];
    this.#share = shareOf(runOf(ctx).by);
    this.#id = this.#lease.bridged.instance.send(method, params, this, extra);
    return result;
  }

  /** Waits for the result in another round of the call. */
  continue(ctx: AnyRun): Promise<Fields> {
    const { promise, resolve, reject } = createDeferred<Fields>();
    const onAbort = (): void => this.#runEnded(ctx);
    const stop = (): void => ctx.signal.removeEventListener('abort', onAbort);
    this.#run = { ctx, sent: new Set(), resolve, reject, stop };
    ctx.signal.addEventListener('abort', onAbort, { once: true });
    if (ctx.signal.aborted) onAbort();
    else if (this.#reply !== undefined) this.#settle(this.#reply);
    else if (this.#requests.size > 0) this.#sendRequests();
    return promise;
  }

  answered(reply: Reply): void {
    this.#settle(reply);
  }

  failed(error: Error): void {
    this.#settle(error);
  }

  requested(request: RemoteRequest): void {
    const refuse = (code: number, message: string): void => {
      this.#ports.dropped(request.method, message);
      this.#lease.bridged.instance.reply(request.id, { error: { code, message } });
    };
    const ctx = this.#run?.ctx;
    if (!isForClients(request.method)) return refuse(-32601, methodNotFound(request.method).message);
    if (ctx !== undefined && !('callId' in ctx)) return refuse(-32601, 'A completion can request nothing.');
    if (!this.#hasRoom()) return refuse(-32603, 'Too many calls wait for answers of their clients.');
    this.#requests.set(this.#ports.requests?.keyOf(request) ?? requestKey(++this.#requestCount), request);
    this.#schedule();
  }

  /** What a call holds while its client answers counts for its caller, from its first request to its end. */
  #hasRoom(): boolean {
    if (this.#leaveRoom === undefined && this.#run !== undefined) {
      this.#leaveRoom = this.#ports.parked.reserve(this.#share, JSON.stringify(this.#held ?? []).length);
      if (this.#leaveRoom !== undefined) this.#held = undefined;
    }
    return this.#leaveRoom !== undefined;
  }

  withdrawn(id: string | number): void {
    for (const [key, request] of this.#requests) if (request.id === id) this.#requests.delete(key);
  }

  notified(method: string, params: Fields): void {
    const ctx = this.#run?.ctx;
    try {
      if (ctx === undefined) this.#ports.dropped(method, 'Its call waits for an answer of the client.');
      else if (method === 'notifications/progress')
        ctx.reportProgress(params.progress as number, params.total as number, params.message as string);
      else if (method === 'notifications/message')
        ctx.log(params.level as LoggingLevel, params.data, params.logger as string);
      else if (method === 'notifications/elicitation/complete') this.#elicitationCompleted(ctx, params);
      else this.#ports.dropped(method, 'No client of this server knows it.');
    } catch (error) {
      this.#ports.dropped(method, (error as Error).message);
    }
  }

  abandoned(reason: unknown): void {
    void this.#end(String(reason));
  }

  /** Requests of one turn of the event loop are one round, also where each ends the run. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#sendRequests();
    }, 0);
  }

  #sendRequests(): void {
    const run = this.#run;
    if (run === undefined) return;
    for (const [key, request] of this.#requests) {
      if (run.sent.has(request.id)) continue;
      run.sent.add(request.id);
      runOf(run.ctx)
        .forward(key, inputRequestOf(request), this.#progressOf(request))
        .then(
          (result) => this.#give(run.ctx, key, result as Fields),
          (error: unknown) => {
            // The next run sends it.
            if (!runOf(run.ctx).isSuspended) this.#answer(key, { error: replyErrorOf(error) });
          },
        );
    }
  }

  #give(ctx: AnyRun, key: string, result: Fields): void {
    const { requests } = this.#ports;
    if (requests === undefined) return this.#answer(key, { result });
    // Another run has it where this cannot be stored.
    requests.given(ctx as Context, key).then(
      () => this.#answer(key, { result }),
      () => {},
    );
  }

  /** The client may report progress on a request whose sender wants it. */
  #progressOf({ params }: RemoteRequest): ServerRequestOptions {
    const progressToken = isRecord(params._meta) ? params._meta.progressToken : undefined;
    if (progressToken === undefined) return {};
    const { instance } = this.#lease.bridged;
    return { onProgress: (update) => instance.notify?.('notifications/progress', { progressToken, ...update }) };
  }

  #answer(key: string, reply: Reply): void {
    const request = this.#requests.get(key);
    if (request === undefined) return;
    this.#requests.delete(key);
    if (request.method === 'roots/list' && 'result' in reply) this.#lease.bridged.answeredRoots?.(reply.result);
    if (isUrlElicitation(request)) this.#openUrls.set(String(request.params.elicitationId), key);
    this.#lease.bridged.instance.reply(request.id, reply);
  }

  #elicitationCompleted(ctx: AnyRun, { elicitationId }: Fields): void {
    const key = this.#openUrls.get(String(elicitationId));
    if (key !== undefined) (ctx as WaitingRun).completeElicitation(key);
  }

  #settle(reply: Reply | Error): void {
    const run = this.#run;
    this.#reply = reply;
    this.#leave();
    if (run === undefined) return;
    run.stop();
    this.#run = undefined;
    if ('result' in reply) run.resolve(reply.result);
    else run.reject('error' in reply ? fromReply(reply.error) : reply);
  }

  /** The run has ended before the call: to request input, or since no client waits for the call any more. */
  #runEnded(ctx: AnyRun): void {
    const run = this.#run;
    this.#run = undefined;
    if (runOf(ctx).isSuspended) {
      this.#ports.parked.add((ctx as WaitingRun).callId, this);
      run?.reject(ctx.signal.reason);
    } else void this.#end(String(ctx.signal.reason)).then(() => run?.reject(ctx.signal.reason));
  }

  /** A handler that goes on counts as running until it returns. */
  async #end(reason: string): Promise<void> {
    this.#requests.clear();
    await this.#lease.bridged.instance.cancel(this.#id, reason);
    this.#leave();
  }

  #leave(): void {
    this.#requests.clear();
    this.#held = undefined;
    this.#leaveRoom?.();
    this.#leaveRoom = undefined;
    this.#lease.release();
  }
}

const isUrlElicitation = ({ method, params }: RemoteRequest): boolean =>
  method === 'elicitation/create' && params.mode === 'url';
