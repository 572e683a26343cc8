/** The chain around the kernel: one ordered list, for tracing, permissions, limits and audit. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Done, Fields, Question } from '../../protocol/neutral.ts';
import type { Settled, Suspension } from '../ports/call-outcome.ts';
import type { Origin } from '../ports/request-details.ts';
import type { AskingContext } from './context.ts';

/** A call as the chain sees it. */
export interface MiddlewareCall {
  readonly method: string;
  /** The tool, prompt or URI that is called or completed, the level that is set, the filter of who listens as JSON; empty for lists. */
  readonly target: string;
  readonly params: Readonly<Fields>;
  /** With the call's id and round: the same call comes once for each round. */
  readonly context: ChainContext;
}

/** What the chain sees of a call beyond what handlers do. */
export interface ChainContext extends AskingContext {
  readonly origin: Origin;
  /** Whether nobody waits for this run any more: the call is answered, given up, or goes on in another run. */
  readonly over: boolean;
}

/**
 * Goes on by `next`, refuses by throwing an `RpcError`, or answers by itself. What `next` gives comes when the request is
 * answered: for who listens, when that ends.
 */
export type Middleware = (call: MiddlewareCall, next: () => Promise<Settled>) => Settled | Promise<Settled>;

type Settle = (settled: Settled | RpcError) => void;

/** Whether this is what `next` gave, or a copy of it that asks the same. */
const isOf = ({ kind, questions, journal }: Suspension, given: unknown): boolean =>
  isRecord(given) && given.kind === kind && given.questions === questions && given.journal === journal;

const ignore = (): void => {};

/** What fails may have nobody who listens: a link need not wait for what `next` gives. Said only then, since it costs a promise. */
function failedUnheard(promise: Promise<unknown>): void {
  promise.then(undefined, ignore);
}

/** Hears once what the chain comes to. */
export interface ChainEnd {
  conclude(settled: Settled): void;
  broken(error: unknown): void;
}

/** Runs the chain, then the kernel. Only called where there is a chain: an empty one costs nothing. */
export function runChain(
  chain: readonly Middleware[],
  call: MiddlewareCall,
  kernel: (settle: Settle) => void,
  end: ChainEnd,
): void {
  let suspended: Suspension | undefined;

  function inner(): Promise<Settled> {
    const { promise, resolve, reject } = deferred<Settled>();
    kernel((settled) => {
      if (settled instanceof Error) {
        reject(settled);
        return failedUnheard(promise);
      }
      if (settled.kind === 'suspended') suspended = settled;
      resolve(settled);
    });
    return promise;
  }

  /** No async function: a link that hands on what `next` gives costs no promise of its own. */
  function from(n: number): Promise<Settled> {
    const link = chain[n];
    if (link === undefined) return inner();
    let begun: Promise<Settled> | undefined;
    const next = (): Promise<Settled> => {
      if (begun !== undefined) return Promise.reject(new Error(`middleware[${n}] called next() twice.`));
      begun = from(n + 1);
      return begun;
    };
    let given: unknown;
    try {
      given = link(call, next);
    } catch (error) {
      const thrown = Promise.reject(error);
      failedUnheard(thrown);
      return thrown;
    }
    if (given !== undefined && given === begun) return begun;
    // What the outermost link gives is judged where it is heard.
    return n === 0 ? (Promise.resolve(given) as Promise<Settled>) : judged(n, given);
  }

  function judged(n: number, given: unknown): Promise<Settled> {
    const fail = (error: unknown): never => {
      failedUnheard(promise);
      throw error;
    };
    const promise: Promise<Settled> = Promise.resolve(given).then((settled) => checked(n, settled, fail), fail);
    return promise;
  }

  /** What a link gave, if it is what it may give. Looking at it may fail too. */
  function checked<T>(n: number, settled: unknown, fail: (error: unknown) => T): Settled | T {
    try {
      if (suspended !== undefined && isOf(suspended, settled)) return suspended;
      if (isRecord(settled) && settled.kind === 'done' && isRecord(settled.result)) return settled as unknown as Done;
    } catch (error) {
      return fail(error);
    }
    return fail(new Error(`middleware[${n}] gave neither what next() gives nor a result of its own.`));
  }

  const broken = (error: unknown): void => end.broken(error);
  const told = (given: unknown): void => {
    const settled = checked(0, given, broken);
    if (settled !== undefined) end.conclude(settled);
  };
  from(0).then(told, broken);
}

function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = ignore;
  let reject: (error: unknown) => void = ignore;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
