/** The run of a call whose caller waits at another node: it has the answers of that caller. */
import type { WaitingRun } from '../../forwarding/forwarded-call.ts';
import { fromReply } from '../../forwarding/reply-errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import { bridgedRun } from '../../server/features/bridged-run.ts';
import { malformed } from '../../server/server-requests/input-responses.ts';
import { readWhole } from '../../server/server-requests/protocol-form.ts';
import type { MoreRequests, Round } from './round-records.ts';

/** A message of the upstream for the caller. */
export type RoundNotification =
  | { readonly method: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly method: 'log'; readonly level: LoggingLevel; readonly data: unknown; readonly logger?: string };

export class RoundRun implements WaitingRun {
  readonly callId: string;
  readonly #round: Round;
  readonly #notify: (notification: RoundNotification) => void;
  readonly #controller = new AbortController();
  readonly #requests: Record<string, InputRequest> = {};
  #isScheduled = false;
  isSuspended = false;
  /** How the run has ended before its call. */
  ending: MoreRequests | RpcError | undefined;

  constructor(round: Round, notify: (notification: RoundNotification) => void) {
    this.callId = round.callId;
    this.#round = round;
    this.#notify = notify;
  }

  get [bridgedRun](): this {
    return this;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The caller has left: the call ends, too. */
  cancel(reason: string): void {
    this.#controller.abort(reason);
  }

  forward(key: string, request: InputRequest): Promise<unknown> {
    const { replies } = this.#round;
    const reply = Object.hasOwn(replies, key) ? replies[key] : undefined;
    if (reply === undefined) return this.#require(key, request);
    if ('error' in reply) return Promise.reject(fromReply(reply.error));
    const read = readWhole(request.method, reply.result);
    if (read.ok) return Promise.resolve(read.value);
    this.#end(malformed(key, read.problem));
    return new Promise(() => {});
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    this.#notify({ method: 'log', level, data, ...(logger !== undefined && { logger }) });
  }

  reportProgress(progress: number, total?: number, message?: string): void {
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    this.#notify({ method: 'progress', progress, ...more });
  }

  /** The node where its caller waits does not know the ID of the elicitation. */
  completeElicitation(): void {}

  /** Requests of one turn of the event loop are one round; answers that are there pass before it ends. */
  #require(key: string, request: InputRequest): Promise<never> {
    this.#requests[key] = request;
    if (!this.#isScheduled) setTimeout(() => this.#suspend(), 0);
    this.#isScheduled = true;
    return new Promise(() => {});
  }

  #suspend(): void {
    if (this.signal.aborted) return;
    this.isSuspended = true;
    this.#end({ resultType: 'requests', requests: this.#requests });
  }

  #end(ending: MoreRequests | RpcError): void {
    this.ending ??= ending;
    this.#controller.abort('The run ended at this node.');
  }
}
