/** The middleware chain of a call: that of the server, then those of mounted servers; and how it runs. */

import { createDeferred } from '../../lib/values/deferred.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CallOutcome, InputRequiredOutcome, Settled, TaskOutcome } from '../../ports/call-outcome.ts';
import type { Done, Incoming } from '../../protocol/neutral.ts';
import type { Middleware, MiddlewareCall } from '../definition/middleware.ts';
import type { ChainRun } from '../features/invocation.ts';
import { mountChainsOf } from '../registry/mount.ts';
import type { Registry } from '../registry/registry.ts';
import { calledDefinitions } from './called-definitions.ts';

/** The whole chain of a call: that of the server, then those of the mounts that the called feature comes from. */
export function chainFor(own: readonly Middleware[], registry: Registry, call: Incoming): readonly Middleware[] {
  if (!registry.hasMountChains) return own;
  const passed = new Set<readonly Middleware[]>();
  const inner = calledDefinitions(registry, call).flatMap(({ source }) => mountChainsOf(source));
  const distinct = inner.filter(({ chain }) => !passed.has(chain) && passed.add(chain));
  return [...own, ...distinct.flatMap(({ chain, name }) => chain.map((middleware) => seenFrom(middleware, name)))];
}

/** Middleware of a mounted server gets the name that the feature has there. */
const seenFrom =
  (middleware: Middleware, name: string | undefined): Middleware =>
  (call, next) =>
    middleware(name === undefined ? call : renamed(call, name), next);

function renamed({ method, params, ctx: context }: MiddlewareCall, name: string): MiddlewareCall {
  if (method !== 'completion/complete') return { method, target: name, params: { ...params, name }, ctx: context };
  return { method, target: name, params: { ...params, ref: { ...(params.ref as Fields), name } }, ctx: context };
}

type Settle = (settled: Settled) => void;

/** Whether this is the outcome that `next` returned, or a copy of it with the same contents: only the kernel makes such outcomes. */
const isSameOutcome = (made: InputRequiredOutcome | TaskOutcome, returned: unknown): boolean => {
  if (!isRecord(returned) || returned.resultType !== made.resultType) return false;
  if (made.resultType === 'task') return returned.task === made.task;
  return returned.inputRequests === made.inputRequests && returned.journal === made.journal;
};

const ignore = (): void => {};

/** Marks a rejection as handled: middleware need not await `next()`. Only on failure, since it costs a promise. */
function ignoreRejection(promise: Promise<unknown>): void {
  promise.then(undefined, ignore);
}

const invalidOutcome = (n: number): Error =>
  new Error(
    `middleware[${n}] returned no outcome. Return the result of next(), or { resultType: 'complete', result }.`,
  );

/** Runs the chain, then the kernel. Not called for an empty chain, which costs nothing. */
export function runChain(
  chain: readonly Middleware[],
  call: MiddlewareCall,
  kernel: (settle: Settle) => void,
): ChainRun {
  let unfinished: InputRequiredOutcome | TaskOutcome | undefined;

  function inner(): Promise<CallOutcome> {
    const { promise, resolve, reject } = createDeferred<CallOutcome>();
    kernel((settled) => {
      if (settled instanceof Error) {
        reject(settled);
        return ignoreRejection(promise);
      }
      if (settled.resultType !== 'complete') unfinished = settled;
      resolve(settled);
    });
    return promise;
  }

  /** Not async: middleware that returns the promise of `next()` costs no further promise. */
  function from(n: number): Promise<CallOutcome> {
    const middleware = chain[n];
    if (middleware === undefined) return inner();
    let begun: Promise<CallOutcome> | undefined;
    const next = (): Promise<CallOutcome> => {
      if (begun !== undefined)
        return Promise.reject(new Error(`middleware[${n}] called next() twice. Call it once for each call.`));
      begun = from(n + 1);
      return begun;
    };
    let returned: unknown;
    try {
      returned = middleware(call, next);
    } catch (error) {
      const thrown = Promise.reject(error);
      ignoreRejection(thrown);
      return thrown;
    }
    if (returned !== undefined && returned === begun) return begun;
    // The result of the outermost middleware is checked where it is received.
    return n === 0 ? (Promise.resolve(returned) as Promise<CallOutcome>) : checkedLater(n, returned);
  }

  function checkedLater(n: number, returned: unknown): Promise<CallOutcome> {
    const fail = (error: unknown): never => {
      ignoreRejection(promise);
      throw error;
    };
    const promise: Promise<CallOutcome> = Promise.resolve(returned).then((settled) => checked(n, settled, fail), fail);
    return promise;
  }

  /** The outcome that a middleware returned, if it is valid. Reading it may throw too. */
  function checked<T>(n: number, settled: unknown, fail: (error: unknown) => T): CallOutcome | T {
    try {
      if (unfinished !== undefined && isSameOutcome(unfinished, settled)) return unfinished;
      if (isRecord(settled) && settled.resultType === 'complete' && isRecord(settled.result))
        return settled as unknown as Done;
    } catch (error) {
      return fail(error);
    }
    return fail(invalidOutcome(n));
  }

  const broken = (error: unknown): never => {
    throw error;
  };
  return { returned: from(0), check: (returned) => checked(0, returned, broken) };
}
