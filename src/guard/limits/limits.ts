/** Limits of callers: what a request takes from the buckets and slots of its principal, address and tool. */

import { type RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Filled } from '../../lib/options/read-options.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { StoreOfServers } from '../../server/kernel/store-users.ts';
import type { Lease, LimitAnswer, LimitStore, Slot, TokenClaim } from '../../store/limit-store.ts';
import { memoryLimits } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { BoundedLimits } from './bounded-limits.ts';
import { addressKey, Claims, type CompiledLimits, callerKey, compileLimits } from './claims.ts';
import { HeldLeases, leaseMs } from './held-leases.ts';
import type { guardLimits } from './options.table.ts';
import type { CallCost, GuardLimits } from './options.ts';
import { badCost, costFrom, neverAllowed, tooMany, unavailable } from './refusals.ts';

/** A request that is about to run. */
export interface LimitedRequest {
  /** The key of its principal, if it has one. */
  readonly principal: string | undefined;
  /** The address of its client; empty where it is not known, absent where the transport has none. */
  readonly address: string | undefined;
  /** The tool that it calls, by the name that the server has for it. */
  readonly tool: string | undefined;
  /** Whether it stays open, as a subscription does: it takes tokens, and no slots. */
  readonly staysOpen?: boolean;
  /** Set for a later round of a call: the first one has paid for it. */
  readonly round?: CallRound | undefined;
}

/** A round of a call, by the id of the call. */
export interface CallRound {
  readonly callId: string;
  readonly round: number;
}

/** What a request has taken. */
export interface LimitPermit {
  /** Takes what the arguments cost, after validation; returns why they may not run. Absent where they cost nothing more. */
  readonly charge?: ((args: Readonly<Record<string, unknown>>) => MaybePromise<RpcError | undefined>) | undefined;
  /** The handler has returned: frees the slots of the request. */
  release(): void;
}

/** The limits of a guard. Whatever fails refuses the request. */
export interface Limits {
  /** Takes what a request needs, or returns why it may not run: `rate-limited`, or `overloaded` if the store fails. */
  take(request: LimitedRequest): MaybePromise<LimitPermit | RpcError>;
  /** Counts in the store of the server, unless the option names another. Returns a function that ends it. */
  useStore(store: Store): () => void;
}

/** The option `limits` of a guard, as it was read. */
export type LimitSettings = Filled<GuardLimits, typeof guardLimits>;

/** Compiles the limits of a guard. */
export const createLimits = (settings: LimitSettings, deadlines: Deadlines): Limits =>
  new CompiledGuardLimits(settings, deadlines);

/**
 * The time in which a round of a call is free once. Its request state has expired long before it would be free again.
 * @limit guard
 * @beyond sent again, it pays like a new call
 */
const freeRoundMs = 86_400_000;
const oneRound = { tokens: 1, perMs: freeRoundMs, burst: 1 };

/**
 * Free rounds of one caller in a day. Each is remembered for a day, and a tool may ask in every call: without a limit, one caller would fill the store.
 * @limit guard
 * @beyond they pay like calls
 */
const maxFreeRounds = 500;
const freeRounds = { tokens: maxFreeRounds, perMs: freeRoundMs, burst: maxFreeRounds };

class CompiledGuardLimits implements Limits {
  readonly #limits: CompiledLimits;
  readonly #isGiven: boolean;
  readonly #own: HeldLeases;
  readonly #store = new StoreOfServers(
    'The guard',
    'Pass the same store to all servers of a guard, or set limits.store.',
  );
  readonly #leasesIn: (store: LimitStore) => HeldLeases;
  /** Of the store in use. A call frees its slots where it has taken them, whichever is in use by then. */
  #leases: HeldLeases;

  constructor(settings: LimitSettings, deadlines: Deadlines) {
    const { store: given, storeTimeoutMs } = settings;
    this.#limits = compileLimits(settings);
    this.#isGiven = given !== undefined;
    this.#leasesIn = (store) => new HeldLeases(new BoundedLimits(store, storeTimeoutMs, deadlines), deadlines);
    this.#own = this.#leasesIn(given ?? memoryLimits());
    this.#leases = this.#own;
  }

  useStore(store: Store): () => void {
    if (this.#isGiven || store.limits === undefined) return () => undefined;
    const isFirst = this.#store.current === undefined;
    const detach = this.#store.attach(store);
    if (isFirst) this.#leases = this.#leasesIn(store.limits);
    return () => {
      detach();
      if (this.#store.current === undefined) this.#leases = this.#own;
    };
  }

  take(request: LimitedRequest): MaybePromise<LimitPermit | RpcError> {
    return request.round === undefined ? this.#takeAll(request) : this.#takeRound(request, request.round);
  }

  #takeAll(request: LimitedRequest): MaybePromise<LimitPermit | RpcError> {
    const cost = request.tool === undefined ? 1 : (this.#limits.costs.get(request.tool) ?? 1);
    const { tokens, slots } = this.#claims(request, typeof cost === 'number' ? cost : 1);
    const charge = typeof cost === 'function' ? (args: Args) => this.#charge(request, cost, args) : undefined;
    if (tokens.length === 0 && slots.length === 0) return charge === undefined ? nothingHeld : permitOf(charge);
    return this.#ask(tokens, slots, (answer, held) => this.#permit(answer, held, charge));
  }

  /** A state that is sent again runs its round again: then it pays like any other call, as with too many rounds in a day. */
  #takeRound(request: LimitedRequest, { callId, round }: CallRound): MaybePromise<LimitPermit | RpcError> {
    const tokens = [
      { key: `round/${callId}/${round}`, cost: 1, bucket: oneRound },
      { key: `rounds/${callerKey(request)}`, cost: 1, bucket: freeRounds },
    ];
    return this.#ask(tokens, this.#claims(request, 1).slots, (answer, held) =>
      isRefused(answer) && tokens.some(({ key }) => key === answer.key)
        ? this.#takeAll(request)
        : this.#permit(answer, held, undefined),
    );
  }

  #ask<T>(
    tokens: readonly TokenClaim[],
    slots: readonly Slot[],
    answered: (answer: LimitAnswer | TenonError, held: HeldLease | undefined) => MaybePromise<T>,
  ): MaybePromise<T> {
    const leases = this.#leases;
    const held = slots.length === 0 ? undefined : { lease: leases.create(slots), leases };
    const answer = leases.store.take(tokens, held?.lease, leaseMs);
    return isPromiseLike(answer) ? answer.then((found) => answered(found, held)) : answered(answer, held);
  }

  #claims(request: LimitedRequest, cost: number): Claims {
    const { tool } = request;
    const limit = tool === undefined ? undefined : this.#limits.perTool.get(tool);
    const claims = new Claims();
    const caller = callerKey(request);
    claims.add(this.#limits.perPrincipal, caller, cost);
    if (request.address !== undefined) claims.add(this.#limits.perAddress, addressKey(request.address), cost);
    if (limit !== undefined) claims.add(limit, limit.shared ? 'all' : caller, 1);
    if (request.staysOpen === true) claims.slots.length = 0;
    return claims;
  }

  #permit(
    answer: LimitAnswer | TenonError,
    held: HeldLease | undefined,
    charge: Charge | undefined,
  ): LimitPermit | RpcError {
    if (answer instanceof TenonError) return unavailable(answer);
    if (isRefused(answer)) return tooMany(answer);
    if (held === undefined) return charge === undefined ? nothingHeld : permitOf(charge);
    const { lease, leases } = held;
    leases.hold(lease);
    return permitOf(charge, () => leases.release(lease));
  }

  /** The first token was paid when the request arrived. */
  #charge(request: LimitedRequest, costOf: CostOf, args: Args): MaybePromise<RpcError | undefined> {
    const cost = costFrom(costOf, args);
    if (cost instanceof TenonError) return badCost(cost);
    const claims = new Claims();
    claims.add(this.#limits.perPrincipal, callerKey(request), cost - 1);
    if (request.address !== undefined) claims.add(this.#limits.perAddress, addressKey(request.address), cost - 1);
    const { tokens } = claims;
    const over = tokens.find(({ bucket }) => cost > bucket.burst);
    if (over !== undefined) return neverAllowed(over, cost);
    if (tokens.length === 0) return undefined;
    return this.#ask(tokens, [], (answer) => {
      const permit = this.#permit(answer, undefined, undefined);
      return permit === nothingHeld ? undefined : (permit as RpcError);
    });
  }
}

/** The slots of a call, and where they are held. */
interface HeldLease {
  readonly lease: Lease;
  readonly leases: HeldLeases;
}

type Args = Readonly<Record<string, unknown>>;
type Charge = NonNullable<LimitPermit['charge']>;
type CostOf = Exclude<CallCost, number>;

const nothingHeld: LimitPermit = { release() {} };
const permitOf = (charge: Charge | undefined, release = nothingHeld.release): LimitPermit => ({ charge, release });

const isRefused = (answer: LimitAnswer | TenonError): answer is LimitAnswer & { allowed: false } =>
  !(answer instanceof TenonError) && !answer.allowed;
