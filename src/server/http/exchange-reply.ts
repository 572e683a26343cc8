/** The reply to a request that stands alone: when its sender goes, so does the call. */
import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { errorStatus, type WireErrorName } from '../../protocol/errors.ts';
import { type CallUnderWay, clientGone } from '../link.ts';
import { eventStreamType, type HttpResponder } from './message.ts';
import { type Keeper, type Outlet, openOutlet } from './outlet.ts';
import { Reply, type ReplyHost } from './reply.ts';

/** The calls of one endpoint that stand alone. */
export interface LoneCalls extends ReplyHost, Keeper {
  /** How many run, and how many may. */
  running: number;
  readonly maxRunning: number;
  /** Runs when one has ended. */
  ended(): void;
}

export class ExchangeReply extends Reply implements CallUnderWay {
  readonly #calls: LoneCalls;
  present: CallUnderWay['present'] = undefined;
  counts = false;
  #state: 'new' | 'running' | 'given-up' | 'over' = 'new';

  constructor(calls: LoneCalls, responder: HttpResponder, principal: string | undefined) {
    super(calls, responder, principal);
    this.#calls = calls;
  }

  protected statusOf({ reason }: RpcError): number {
    return errorStatus(reason as WireErrorName);
  }

  protected open(): Outlet {
    return openOutlet(this.responder.stream(eventStreamType), this.#calls);
  }

  put(): Promise<never> {
    const text = 'Where every request stands alone, the server sends none of its own.';
    return Promise.reject(new TenonError('capability-not-supported', text));
  }

  told(): void {}

  /** What a handler tells after its call is over reaches nobody. */
  override tell(text: string): void {
    if (this.#state === 'running') super.tell(text);
  }

  begin(_id: RequestId, counts: boolean): CallUnderWay | undefined {
    if (counts && this.#calls.running >= this.#calls.maxRunning) return undefined;
    this.counts = counts;
    if (counts) this.#calls.running++;
    this.#state = 'running';
    return this;
  }

  /** Hears when the client goes, for a call that was not answered at once. */
  attend(): void {
    if (this.#state === 'running') this.responder.onClose(this);
  }

  end(): boolean {
    const before = this.#state;
    if (before === 'new' || before === 'over') return false;
    this.#state = 'over';
    if (this.counts) {
      this.#calls.running--;
      this.#calls.ended();
    }
    return before === 'running';
  }

  /** The client has gone. The call counts until its handler has ended, too. */
  closed(): void {
    if (this.#state !== 'running') return;
    this.#state = 'given-up';
    this.release();
    this.present?.cancel(clientGone);
  }
}
