/** Records every call of a client: how often it was sent, its last id and its outcome. Violations become complaints. */
import { getEventListeners } from 'node:events';
import { type CallOptions, type Client, RpcError, TenonError, toText } from 'tenon';
import type { Json } from '../../kit/client/manual-transport.ts';

/** `plain` may be sent once. `safe` and `keyed` are sent again until their time limit, by an option; `look` a few times, by its method. */
export type Kind = 'plain' | 'safe' | 'keyed' | 'look';
export const kinds: readonly Kind[] = ['plain', 'plain', 'plain', 'safe', 'keyed', 'look'];

export interface Call {
  readonly name: string;
  readonly kind: Kind;
  readonly controller: AbortController;
  /** How often each round was sent, by its request state. */
  readonly sends: Map<string, number>;
  /** How often it was sent in total, even if it cannot have arrived. */
  tries: number;
  /** The ids under which it was sent and may have arrived. */
  readonly ids: unknown[];
  readonly timeoutMs: number;
  /** When it was sent for the first time. */
  firstSentAt: number | undefined;
  outcome: 'answered' | { readonly error: Error } | undefined;
}

/** The value of `maxTries` in the client. */
const maxTries = 5;
/** Connections that the schedules allow in a minute: a call that is sent until its time limit needs one for each. */
const maxDials = 60;
const mostSends: Readonly<Record<Kind, number>> = { plain: 1, safe: maxDials, keyed: maxDials, look: maxTries };

const options: Readonly<Record<Kind, CallOptions>> = {
  plain: {},
  safe: { retryable: true },
  keyed: { idempotencyKey: 'once' },
  look: {},
};

const allowedErrors: ReadonlySet<string> = new Set([
  'timeout',
  'cancelled',
  'outcome-unknown',
  'circuit-open',
  'connection-closed',
  'queue-full',
  'unauthorized',
  'server-request-failed',
  'too-many-input-rounds',
  'connection-refused',
  'unreachable',
]);
/** Errors that reach the caller only if the call cannot be sent again. */
const connectionErrors: ReadonlySet<string> = new Set(['connection-closed', 'connection-refused', 'unreachable']);

/** What may end a call that was sent, before its time: an answer, no answer, or that it cannot wait for a connection. */
const endings = /The last attempt failed: (it failed|.* within \d+ ms|Unauthorized|\d+ calls already wait)/;

/** `timeoutMs` of the client. */
export const defaultTimeoutMs = 8000;

export class CallLedger {
  readonly #now: () => number;
  readonly calls: Call[] = [];
  /** Violations of the rules. */
  readonly complaints: string[] = [];
  /** `closing` since close() was called, `closed` since it has finished. */
  phase: 'open' | 'closing' | 'closed' = 'open';
  #byName = new Map<string, Call>();

  constructor(now: () => number) {
    this.#now = now;
  }

  complain(text: string): void {
    this.complaints.push(text);
  }

  get unsettled(): Call[] {
    return this.calls.filter(({ outcome }) => outcome === undefined);
  }

  begin(client: Client, kind: Kind, more: CallOptions): void {
    const name = `t${this.calls.length}`;
    const controller = new AbortController();
    const { timeoutMs = defaultTimeoutMs } = more;
    const [ids, sends] = [[], new Map<string, number>()];
    const call: Call = {
      name,
      kind,
      controller,
      sends,
      tries: 0,
      ids,
      timeoutMs,
      firstSentAt: undefined,
      outcome: undefined,
    };
    this.calls.push(call);
    this.#byName.set(name, call);
    const full: CallOptions = {
      ...options[kind],
      ...more,
      signal: controller.signal,
      onProgress: () => call.outcome !== undefined && this.complain(`${name} got progress after it was settled`),
    };
    const wasOpen = this.phase === 'open';
    const requested =
      kind === 'look' ? client.request('prompts/get', { name }, full) : client.tools.call(name, {}, full);
    void requested.then(
      (result) => this.#answered(call, result as Json),
      (error: Error) => this.#failed(call, error, wasOpen),
    );
  }

  /** A request for a call was sent. */
  sent({ id, method, params }: Json): void {
    const { name, requestState = 'first' } = params as { name: string; requestState?: string };
    const call = this.#byName.get(name);
    if (call === undefined) return this.complain(`${method} of ${name}, which was never called`);
    const times = (call.sends.get(requestState) ?? 0) + 1;
    call.sends.set(requestState, times);
    call.tries++;
    call.firstSentAt ??= this.#now();
    call.ids.push(id);
    if (call.outcome !== undefined) this.complain(`${name} was sent after it was settled`);
    if (times > mostSends[call.kind]) this.complain(`${name}, ${call.kind}, was sent ${times} times`);
  }

  /** A request for a call has certainly not arrived. */
  unsent({ id, params }: Json): void {
    const { name, requestState = 'first' } = params as { name: string; requestState?: string };
    const { sends, ids } = this.#byName.get(name) as Call;
    sends.set(requestState, (sends.get(requestState) ?? 1) - 1);
    ids.splice(ids.indexOf(id), 1);
  }

  #settle(call: Call, outcome: Exclude<Call['outcome'], undefined>): void {
    if (call.outcome !== undefined) this.complain(`${call.name} was settled twice`);
    call.outcome = outcome;
    const left = getEventListeners(call.controller.signal, 'abort').length;
    if (left > 0) this.complain(`${call.name} left ${left} listeners on its signal`);
  }

  #answered(call: Call, result: Json): void {
    this.#settle(call, 'answered');
    const text = call.kind === 'look' ? result.description : toText(result as never);
    if (text !== call.name) this.complain(`${call.name} got the result of ${text}`);
  }

  #failed(call: Call, error: Error, wasOpen: boolean): void {
    const { name, kind, sends, tries } = call;
    const lastId = call.ids.at(-1);
    this.#settle(call, { error });
    if (!wasOpen && sends.size > 0) this.complain(`${name} was sent although the client was closing`);
    const isPromised = kind === 'safe' || kind === 'keyed';
    const { code } = error as TenonError | RpcError;
    // The time of the whole call ends it as a time-out, whatever it waits for.
    const isWholeTime = error instanceof TenonError && error.details.maxTotalTimeoutMs !== undefined;
    if (isPromised && wasSentAgain(call) && !settling.has(code) && !isWholeTime)
      this.complain(`${name} may have run, and got ${code}`);
    if (error instanceof RpcError) return;
    if (!(error instanceof TenonError) || !allowedErrors.has(error.code))
      return this.complain(`${name} failed with ${error.stack}`);
    const hasTime = this.phase === 'open' && this.#now() - (call.firstSentAt ?? 0) < call.timeoutMs;
    if (error.code === 'outcome-unknown') {
      const isEnded = isPromised && (!hasTime || endings.test(error.message));
      if (kind !== 'plain' && !isEnded) this.complain(`${name}, ${kind}, was not sent again: ${error.message}`);
      if (lastId === undefined || error.details.requestId !== lastId)
        this.complain(`${name} is unknown as ${error.details.requestId}, and was sent as ${lastId}`);
    }
    if (error.code === 'unreachable' && kind !== 'look') this.complain(`${name} may have run`);
    const mayFollow = isPromised ? hasTime : this.phase === 'open' && tries < maxTries;
    if (connectionErrors.has(error.code) && mayFollow)
      this.complain(`${name}, ${kind}, sent ${tries} times, got ${error.code} from an open client`);
  }
}

/** How a call ends of which an earlier attempt may have run. */
const settling: ReadonlySet<unknown> = new Set([
  'outcome-unknown',
  'cancelled',
  'server-request-failed',
  'too-many-input-rounds',
]);

/** Whether a round was sent more than once, and may have arrived each time. */
const wasSentAgain = ({ sends }: Call): boolean => [...sends.values()].some((times) => times > 1);
