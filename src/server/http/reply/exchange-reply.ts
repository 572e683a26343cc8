/** The reply to a request that stands alone: when its sender goes, so does the call. */
import { type RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { errorStatus, type WireErrorName } from '../../../protocol/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { type CallInFlight, clientGone, serverCloses } from '../../ports/link.ts';
import { eventStreamType, type HttpResponder } from '../message.ts';
import { type Keeper, type Outlet, openOutlet } from './event-output.ts';
import { Reply, type ReplyHost } from './reply.ts';

/** The calls of one endpoint that stand alone. */
export interface LoneCalls extends ReplyHost, Keeper {
  /** How many run, and how many may. */
  running: number;
  readonly maxRunning: number;
  /** The one that was attended last; each knows the one before it. */
  latest: ExchangeReply | undefined;
  /** Runs when one has ended. */
  ended(): void;
  /** Has somebody look after streams. */
  watch(): void;
}

export class ExchangeReply extends Reply {
  readonly #calls: LoneCalls;
  #call: CallInFlight | undefined;
  #state: 'new' | 'running' | 'given-up' | 'over' = 'new';
  #id: RequestId | undefined;
  /** Set while it is among those attended, which are linked: a table would fill and empty with every burst. */
  #revision: Revision | undefined;
  #before: ExchangeReply | undefined;
  #after: ExchangeReply | undefined;

  constructor(calls: LoneCalls, responder: HttpResponder, principal: string | undefined) {
    super(calls, responder, principal);
    this.#calls = calls;
  }

  protected statusOf({ reason }: RpcError): number {
    return errorStatus(reason as WireErrorName);
  }

  protected open(): Outlet {
    const outlet = openOutlet(this.responder.stream(eventStreamType), this.#calls);
    this.#calls.watch();
    return outlet;
  }

  sendRequest(): Promise<never> {
    const text = 'Where every request stands alone, the server sends none of its own.';
    return Promise.reject(new TenonError('capability-not-supported', text));
  }

  progressed(): void {}

  /** What a handler tells after its call is over reaches nobody. */
  override tell(text: string): void {
    if (this.#state === 'running') super.tell(text);
  }

  begin(id: RequestId, call: CallInFlight): boolean {
    if (call.counts && this.#calls.running >= this.#calls.maxRunning) return false;
    if (call.counts) this.#calls.running++;
    this.#call = call;
    this.#id = id;
    this.#state = 'running';
    return true;
  }

  /** Hears when the client goes, and when the server does, for a call that was not answered at once. */
  attend(revision: Revision): void {
    if (this.#state !== 'running') return;
    const { latest } = this.#calls;
    this.#revision = revision;
    this.#before = latest;
    if (latest !== undefined) latest.#after = this;
    this.#calls.latest = this;
    this.responder.onClose(this);
  }

  end(): boolean {
    const before = this.#state;
    if (before === 'new' || before === 'over') return false;
    this.#state = 'over';
    this.#unlink();
    if (this.#call?.counts) {
      this.#calls.running--;
      this.#calls.ended();
    }
    return before === 'running';
  }

  /** The client has gone. The call counts until its handler has ended, too. */
  closed(): void {
    if (this.#state !== 'running') return;
    this.#state = 'given-up';
    this.#unlink();
    this.release();
    this.#call?.cancel(clientGone);
  }

  /** Answers all that still run that they are given up: whoever waits knows, and what runs can stop. */
  static giveUpAll(calls: LoneCalls, error: RpcError): void {
    for (let reply = calls.latest; reply !== undefined; reply = calls.latest) reply.#giveUp(error);
  }

  /** Tells those that listen, and are about to be ended, when to look for a server again. */
  static hintListeners({ latest }: LoneCalls): void {
    for (let reply = latest; reply !== undefined; reply = reply.#before) if (!reply.#call?.counts) reply.hintReturn();
  }

  #giveUp(error: RpcError): void {
    const revision = this.#revision;
    this.#unlink();
    if (this.#state !== 'running' || revision === undefined) return;
    this.#state = 'given-up';
    this.refuse(this.#id, revision, error, 503);
    this.#call?.cancel(serverCloses);
  }

  #unlink(): void {
    if (this.#revision === undefined) return;
    this.#revision = undefined;
    if (this.#after === undefined) this.#calls.latest = this.#before;
    else this.#after.#before = this.#before;
    if (this.#before !== undefined) this.#before.#after = this.#after;
    this.#before = undefined;
    this.#after = undefined;
  }
}
