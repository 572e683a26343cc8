/** The gate before the kernel: how many calls and sessions an endpoint has at once, and a fair share of them for each caller. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { HttpRequest } from '../../message.ts';
import { CallerShare, type SharePorts, ShareTable } from './caller-share.ts';
import { type ClientAddress, createClientAddress, type TrustedProxies } from './client-address.ts';
import { FairPool, Holding } from './fair-pool.ts';

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
  readonly #holders: SessionHolder[] = [];
  readonly #principals = new ShareTable();
  readonly #addresses = new ShareTable();
  /** What callers without a principal hold together. */
  readonly #anonymous: Readonly<Record<'calls' | 'sessions', Holding>>;
  readonly #addressOf: ClientAddress;
  readonly #onRelease: (() => void) | undefined;

  constructor({ maxCalls, maxSessions, trustedProxies, hasPrincipals, onRelease }: GateOptions) {
    this.#calls = new FairPool(maxCalls);
    this.#sessions = new FairPool(maxSessions);
    this.#addressOf = createClientAddress(trustedProxies);
    this.#onRelease = onRelease;
    const group = ({ all }: FairPool): Holding => (hasPrincipals ? new Holding(all) : all);
    this.#anonymous = { calls: group(this.#calls), sessions: group(this.#sessions) };
  }

  /** Calls whose handlers have not returned, including those whose clients have disconnected. */
  get runningCalls(): number {
    return this.#calls.all.count;
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
    return this.#addresses.get(address) ?? this.#addresses.add(address, this.#anonymousShare());
  }

  #principalShare(owner: string): CallerShare {
    return new CallerShare(this, owner, this.#calls.all, this.#sessions.all);
  }

  #anonymousShare(): CallerShare {
    return new CallerShare(this, undefined, this.#anonymous.calls, this.#anonymous.sessions);
  }

  takeCall(calls: Holding): RpcError | undefined {
    if (this.#calls.take(calls) === undefined) return undefined;
    return this.#calls.isFull ? tooManyCalls : tooManyOwnCalls;
  }

  releaseCall(calls: Holding): void {
    this.#calls.release(calls);
    this.#onRelease?.();
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

const again = { retryAfterMs: 1000 };

const tooManyCalls = rpcError('overloaded', 'Too many calls are running. Try again later.', again);
const tooManyOwnCalls = rpcError(
  'rate-limited',
  'Too many of your calls are running. Try again when one of them has finished.',
  again,
);
const tooManySessions = rpcError('overloaded', 'Too many sessions are open. Try again later.', again);
const tooManyOwnSessions = rpcError(
  'rate-limited',
  'Too many of your sessions are open. End one of them, or try again later.',
  again,
);
