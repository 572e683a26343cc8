/** The gate before the kernel: how many calls, sessions and received bytes an endpoint has at once, and a fair share of them for each caller. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import { addressText } from '../../../../lib/text/ip-address.ts';
import type { Principal } from '../../../../ports/principal.ts';
import { notStartedData } from '../../../../protocol/error-data.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { QueuedCall } from '../../../ports/call-slots.ts';
import { FairPool, type Holding } from '../../../ports/fair-pool.ts';
import type { HttpRequest } from '../../message.ts';
import { CallerShare, type Holdings, heldWithin, type SharePorts, ShareTable } from './caller-share.ts';
import { type ClientAddress, createClientAddress, type TrustedProxies } from './client-address.ts';
import { type QueueOptions, WaitingCalls } from './waiting-calls.ts';

/** Holds sessions of one transport. */
export interface SessionHolder {
  /** Ends the oldest session of these callers that was not used since its handshake; false if there is none. */
  evictUnused(callers: Holding): boolean;
  /** Ends idle sessions. */
  sweep?(): void;
}

export interface GateOptions {
  readonly maxCalls: number;
  readonly maxSessions: number;
  /** Bytes of large requests, and of what sessions hold. */
  readonly maxBytes: number;
  /** Calls that wait for a slot, and how long. */
  readonly queue: QueueOptions;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Whether callers have principals: then those without one share what one principal may have. */
  readonly hasPrincipals: boolean;
  /** Called when a call has ended. */
  onRelease?(): void;
}

interface Caller extends Pick<HttpRequest, 'address' | 'header'> {
  readonly principal: Pick<Principal, 'key'> | undefined;
}

export class Gate implements SharePorts {
  readonly #calls: FairPool;
  readonly #sessions: FairPool;
  readonly #bytes: FairPool;
  readonly #waiting: WaitingCalls<CallerShare>;
  readonly #holders: SessionHolder[] = [];
  readonly #principals = new ShareTable();
  readonly #addresses = new ShareTable();
  /** What callers without a principal hold together. */
  readonly #anonymous: Holdings;
  /** What all callers hold. */
  readonly #all: Holdings;
  readonly #addressOf: ClientAddress;
  readonly #wholeAddressOf: ClientAddress;
  readonly #onRelease: (() => void) | undefined;

  constructor({ maxCalls, maxSessions, maxBytes, queue, trustedProxies, hasPrincipals, onRelease }: GateOptions) {
    this.#calls = new FairPool(maxCalls);
    this.#sessions = new FairPool(maxSessions);
    this.#bytes = new FairPool(maxBytes);
    this.#waiting = new WaitingCalls(queue, this);
    this.#addressOf = createClientAddress(trustedProxies);
    this.#wholeAddressOf = createClientAddress(trustedProxies, addressText);
    this.#onRelease = onRelease;
    this.#all = {
      calls: this.#calls.all,
      sessions: this.#sessions.all,
      received: this.#bytes.all,
      places: this.#waiting.all,
    };
    this.#anonymous = hasPrincipals ? heldWithin(this.#all) : this.#all;
  }

  /** Calls whose handlers have not returned, including those whose clients have disconnected. */
  get runningCalls(): number {
    return this.#calls.all.count;
  }

  /** Calls that wait for a slot. */
  get waitingCalls(): number {
    return this.#waiting.size;
  }

  /** Sessions that are open or about to be, of all transports. */
  get openSessions(): number {
    return this.#sessions.all.count;
  }

  /** The share of the sender of a request. */
  callerOf(request: Caller): CallerShare {
    const owner = request.principal?.key;
    if (owner !== undefined)
      return this.#principals.get(owner) ?? this.#principals.add(owner, this.#principalShare(owner));
    const address = this.#addressOf(request);
    return this.#addresses.get(address) ?? this.#addresses.add(address, this.#anonymousShare(address));
  }

  /** The IP address of the sender of a request; empty if it is not known. */
  addressOf(request: Caller): string {
    return this.#wholeAddressOf(request);
  }

  #principalShare(owner: string): CallerShare {
    return new CallerShare(this, { owner }, this.#all);
  }

  #anonymousShare(address: string): CallerShare {
    return new CallerShare(this, { address }, this.#anonymous);
  }

  takeCall(share: CallerShare, call: QueuedCall): RpcError | undefined {
    if (!this.#waiting.isAdmitting && this.takeSlot(share)) return undefined;
    return this.#waiting.add(share, call) ? undefined : this.#noSlot();
  }

  releaseCall(share: CallerShare, { place }: QueuedCall): void {
    if (place === undefined) {
      this.#calls.release(share.calls);
      if (this.#waiting.size > 0) this.#waiting.slotFreed();
    } else place.leave();
    this.#onRelease?.();
  }

  takeSlot({ calls }: CallerShare): boolean {
    return this.#calls.take(calls) === undefined;
  }

  refuse(call: QueuedCall): void {
    call.admitted(this.#noSlot());
  }

  #noSlot(): RpcError {
    return this.#calls.isFull ? tooManyCalls : tooManyOwnCalls;
  }

  /** Counts received bytes; unused sessions of those who hold too many make room. Returns why there is none. */
  takeBytes(share: Holdings, bytes: number): RpcError | undefined {
    let over = this.#bytes.take(share.received, bytes);
    while (over !== undefined && this.#evictUnused(this.#sessionsOf(over, share)))
      over = this.#bytes.take(share.received, bytes);
    if (over === undefined) return undefined;
    return over === share.received ? tooManyOwnBytes : tooManyBytes;
  }

  /** The sessions of those who hold received bytes. */
  #sessionsOf(received: Holding, share: Holdings): Holding {
    return ([share, this.#anonymous].find((one) => one.received === received) ?? this.#all).sessions;
  }

  releaseBytes(received: Holding, bytes: number): void {
    this.#bytes.release(received, bytes);
  }

  /** A holder makes room for new sessions by ending unused ones. */
  join(holder: SessionHolder): void {
    this.#holders.push(holder);
  }

  /** Takes a slot for a session; unused sessions of those who hold too many make room. Returns why there is none. */
  takeSession({ sessions }: CallerShare): RpcError | undefined {
    let over = this.#sessions.take(sessions);
    while (over !== undefined && this.#evictUnused(over)) over = this.#sessions.take(sessions);
    if (over === undefined) return undefined;
    for (const holder of this.#holders) holder.sweep?.();
    if (this.#sessions.take(sessions) === undefined) return undefined;
    return this.#sessions.isFull ? tooManySessions : tooManyOwnSessions;
  }

  releaseSession({ sessions }: CallerShare): void {
    this.#sessions.release(sessions);
  }

  #evictUnused(callers: Holding): boolean {
    return this.#holders.some((holder) => holder.evictUnused(callers));
  }
}

const again = { ...notStartedData, retryAfterMs: 1000 };

const tooManyCalls = rpcError('overloaded', 'Too many calls are running. Try again later.', again);
const tooManyOwnCalls = rpcError(
  'rate-limited',
  'Too many of your calls are running. Try again when one of them has finished.',
  again,
);
const tooManyBytes = rpcError('overloaded', 'The server holds too much of other requests. Try again later.', again);
const tooManyOwnBytes = rpcError(
  'rate-limited',
  'The server holds too much of your requests and sessions. Try again when calls have finished, or send less.',
  again,
);
const tooManySessions = rpcError('overloaded', 'Too many sessions are open. Try again later.', again);
const tooManyOwnSessions = rpcError(
  'rate-limited',
  'Too many of your sessions are open. End one of them, or try again later.',
  again,
);
