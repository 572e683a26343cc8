/** The reply to a request of a client without a session: when the client disconnects, its call is cancelled. */
import { type RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Principal } from '../../../ports/principal.ts';
import { errorStatus } from '../../../protocol/errors.ts';
import type { LoggingLevel } from '../../../protocol/generated/types/records.ts';
import type { Notification } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { type CallInFlight, clientDisconnected, principalRevoked, serverCloses } from '../../ports/link.ts';
import type { CallerShare } from '../admission/gate/caller-share.ts';
import { argumentsProblem } from '../admission/mirrored-headers.ts';
import type { EndpointLife } from '../endpoint-life.ts';
import { eventStreamType, type HttpResponder } from '../message.ts';
import { type EventOutput, type EventSinks, openOutput } from './event-output.ts';
import { Reply, type ReplyHost } from './reply.ts';

/** The calls of one endpoint whose clients have no session. */
export interface ExchangeCalls extends ReplyHost, EventSinks {
  readonly life: EndpointLife;
  /** Sends a message of a call to the stream on which its principal listens without a session, if there is one. */
  logTo?(owner: string, message: Notification): void;
  /** The level from which that stream gets log messages. */
  levelOf?(owner: string): LoggingLevel | undefined;
  /** Replies to the calls that were not answered at once. */
  readonly unfinished: Set<ExchangeReply>;
}

export class ExchangeReply extends Reply {
  protected readonly calls: ExchangeCalls;
  /** Absent for a reply that only refuses. */
  readonly #caller: CallerShare | undefined;
  #call: CallInFlight | undefined;
  #id: RequestId = 0;
  #state: 'idle' | 'running' | 'cancelled' | 'finished' = 'idle';
  /** Set once the reply is among the unfinished ones. */
  #revision: Revision | undefined;

  constructor(calls: ExchangeCalls, responder: HttpResponder, caller?: CallerShare, principal?: Principal) {
    super(calls, responder, principal);
    this.calls = calls;
    this.#caller = caller;
  }

  protected statusOf({ reason }: RpcError): number {
    return errorStatus(reason);
  }

  protected open(): EventOutput {
    const output = openOutput(this.responder.stream(eventStreamType), this.calls);
    this.calls.life.scheduleUpkeep();
    return output;
  }

  mirrorProblem(inputSchema: unknown, args: unknown): string | undefined {
    const header = (name: string): string | undefined => this.header(name);
    return argumentsProblem({ header }, inputSchema, args);
  }

  sendRequest(): Promise<never> {
    const text = 'The server cannot send requests to a client without a session.';
    return Promise.reject(new TenonError('capability-not-supported', text));
  }

  progressed(): void {}

  /** Drops events that a handler sends after its call has finished. */
  override sendEvent(text: string): void {
    if (this.#state === 'running') super.sendEvent(text);
  }

  begin(id: RequestId, call: CallInFlight): RpcError | undefined {
    const refused = call.counts ? this.#caller?.takeCall(call) : undefined;
    if (refused !== undefined) return refused;
    this.responder.received?.use();
    this.#call = call;
    this.#id = id;
    this.#state = 'running';
    return undefined;
  }

  /** For a call that was not answered at once: cancels it when the client disconnects or the server closes. */
  awaitCall(revision: Revision): void {
    if (this.#state !== 'running') return;
    this.#revision = revision;
    this.calls.unfinished.add(this);
    this.responder.onClose(this);
  }

  end(): boolean {
    if (this.#state === 'idle' || this.#state === 'finished') return false;
    const wasRunning = this.#state === 'running';
    this.#state = 'finished';
    this.calls.unfinished.delete(this);
    this.responder.received?.closed();
    if (this.#call?.counts) this.#caller?.releaseCall(this.#call);
    return wasRunning;
  }

  /** The client has disconnected. The call still counts until its handler has finished. */
  closed(): void {
    if (this.#state !== 'running') return;
    this.#state = 'cancelled';
    this.calls.unfinished.delete(this);
    this.release();
    this.#call?.cancel(clientDisconnected);
  }

  /** Answers a running call with an error, and cancels it: the server closes, or the principal was revoked. */
  cancel(error: RpcError, reason: string = serverCloses): void {
    this.calls.unfinished.delete(this);
    if (this.#state !== 'running' || this.#revision === undefined) return;
    this.#state = 'cancelled';
    this.refuse(this.#id, this.#revision, error, errorStatus(error.reason));
    this.#call?.cancel(reason);
  }

  /** Sends a client that only listens the time to wait before it reconnects: it is about to be disconnected. */
  hintListener(): void {
    if (this.#call?.counts === false) this.sendRetryHint();
  }
}

export function cancelAll({ unfinished }: ExchangeCalls, error: RpcError): void {
  for (const reply of unfinished) reply.cancel(error);
}

export function cancelOwned({ unfinished }: ExchangeCalls, owner: string, error: RpcError): void {
  for (const reply of unfinished) if (reply.principal?.key === owner) reply.cancel(error, principalRevoked);
}

export function hintListeners({ unfinished }: ExchangeCalls): void {
  for (const reply of unfinished) reply.hintListener();
}
