/** A call at an upstream in a session, in the place where it is sent to: requests of the upstream go to its caller. */
import { type PassingHandlers, passedRequests } from '../../client/answers/handlers.ts';
import type { CallOptions } from '../../client/api/client.ts';
import type { LogEntry } from '../../client/api/options.ts';
import type { RemoteCall, RemoteServer, Reply } from '../../forwarding/remote-call.ts';
import { fromReply } from '../../forwarding/reply-errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { InputRequest, Outcome } from '../../protocol/neutral.ts';
import type { ProgressUpdate, ReportProgress } from '../../protocol/progress.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { sampledWithUris, type Uris } from '../catalogue/uris.ts';

interface Waiting {
  readonly progressToken: unknown;
  readonly reportProgress: ReportProgress;
  resolve(reply: Reply): void;
}

/** What receives the messages of a call, as options of a client. */
export type CallHandling = Required<Pick<CallOptions, 'signal' | 'onProgress' | 'answers'>> &
  Pick<CallOptions, 'onLog'>;

export interface UpstreamCallPorts {
  /** Sends the call, and resolves with its outcome. */
  send(method: string, params: Fields, handling: CallHandling): Promise<Outcome>;
  readonly uris: Uris;
  /** Whether another process may follow it now, and answer its requests: then it is not cancelled. */
  isTakenOver?(): boolean;
  /** Whether log messages that name no call are those of the only call. */
  readonly hasLogs: boolean;
  /** Cancels the task that the call has become at the upstream. */
  cancelTask?(): Promise<void>;
  /** It has its outcome. */
  onOver?(): void;
  /** A URL elicitation of the call is complete after its end. */
  completedLate(elicitationId: string): void;
}

export class UpstreamCall implements RemoteServer {
  readonly #ports: UpstreamCallPorts;
  readonly #controller = new AbortController();
  readonly #waiting = new Map<string | number, Waiting>();
  #requests = 0;
  #isOver = false;
  /** Whether another process follows it: its requests are not answered here. */
  #isLeft = false;
  /** Whether it was cancelled: it may go on at the upstream. */
  isCancelled = false;

  constructor(ports: UpstreamCallPorts) {
    this.#ports = ports;
  }

  send(method: string, params: Fields, call: RemoteCall): number {
    const { hasLogs } = this.#ports;
    const answers: PassingHandlers = {
      onElicitationComplete: ({ elicitationId }) => this.#completed(call, String(elicitationId)),
      [passedRequests]: {
        answer: (request, { signal, reportProgress }) =>
          method === 'completion/complete'
            ? Promise.reject(rpcError('invalid-request', 'A completion can request nothing.'))
            : this.#answer(call, request, signal, reportProgress),
      },
    };
    const sent = this.#ports.send(method, params, {
      signal: this.#controller.signal,
      onProgress: (update) => call.notified('notifications/progress', { ...update }),
      ...(hasLogs && {
        onLog: ({ level, logger, data }: LogEntry) => call.notified('notifications/message', { level, logger, data }),
      }),
      answers,
    });
    void this.#finish(call, sent);
    return 0;
  }

  async #finish(call: RemoteCall, sent: Promise<Outcome>): Promise<void> {
    try {
      const outcome = await sent;
      this.#over();
      if (outcome.resultType === 'complete') call.answered({ result: outcome.result });
      else call.failed(rpcError('server-error', 'The upstream has answered with a task, which was not requested.'));
    } catch (error) {
      this.#over();
      call.failed(error as Error);
    }
  }

  #over(): void {
    this.#isOver = true;
    this.#ports.onOver?.();
  }

  reply(id: string | number, reply: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(reply);
  }

  async cancel(_id: number, reason: string): Promise<void> {
    if (this.#isOver) return;
    this.isCancelled = true;
    if (this.#ports.isTakenOver?.() === true) this.#isLeft = true;
    else await this.#stop(reason);
  }

  /** The task of the caller is over: that of the upstream is cancelled. */
  ended(reason: string): void {
    if (this.#isOver) return;
    this.isCancelled = true;
    void this.#stop(reason);
  }

  /** The connection is needed until the upstream knows. */
  async #stop(reason: string): Promise<void> {
    if (this.#ports.cancelTask !== undefined) await this.#ports.cancelTask().catch(() => {});
    this.#controller.abort(reason);
  }

  /** Progress of the caller on a request of the upstream. */
  notify(method: string, params: Fields = {}): void {
    if (method !== 'notifications/progress') return;
    const { progress, total, message } = params as Fields & ProgressUpdate;
    for (const { progressToken, reportProgress } of this.#waiting.values())
      if (progressToken === params.progressToken) reportProgress(progress, total, message);
  }

  async #answer(
    call: RemoteCall,
    { method, params = {} }: InputRequest,
    signal: AbortSignal,
    reportProgress: ReportProgress,
  ): Promise<Fields> {
    // The process that follows it now gets the request, too.
    if (this.#isLeft) return new Promise(() => {});
    const id = ++this.#requests;
    const isSampling = method === samplingMethod;
    const { inward, outward } = this.#ports.uris;
    const progressToken = isRecord(params._meta) ? params._meta.progressToken : undefined;
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#waiting.set(id, { progressToken, reportProgress, resolve });
      const onAbort = (): void => {
        if (!this.#waiting.delete(id)) return;
        call.withdrawn(id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      call.requested({ id, method, params: isSampling ? sampledWithUris(params, outward) : params });
    });
    if ('error' in reply) throw fromReply(reply.error);
    return isSampling ? sampledWithUris(reply.result, inward) : reply.result;
  }

  #completed(call: RemoteCall, elicitationId: string): void {
    if (this.#isOver) this.#ports.completedLate(elicitationId);
    else call.notified('notifications/elicitation/complete', { elicitationId });
  }
}
