/** The chain around the kernel: one ordered list, for tracing, permissions, limits and audit. */
import type { RpcError } from '../jsonrpc/errors.ts';
import type { Done, Fields, Question } from '../protocol/neutral.ts';
import type { Journal } from './asking/journal.ts';
import type { AskingContext } from './definition/context.ts';

/** A call as the chain sees it. */
export interface MiddlewareCall {
  readonly method: string;
  /** The tool, prompt or URI that is called; empty for lists. */
  readonly target: string;
  readonly params: Readonly<Fields>;
  /** With the call's id and round: the same call comes once for each round. */
  readonly context: AskingContext;
}

/** What a call came to within the kernel. */
export type Settled = Done | Suspension;

export interface Suspension {
  readonly kind: 'suspended';
  readonly questions: Readonly<Record<string, Question>>;
  readonly journal: Journal;
}

/** Goes on by `next`, refuses by throwing an `RpcError`, or answers by itself. */
export type Middleware = (call: MiddlewareCall, next: () => Promise<Settled>) => Settled | Promise<Settled>;

type Settle = (settled: Settled | RpcError) => void;

/** Runs the chain, then the kernel. Only called where there is a chain: an empty one costs nothing. */
export async function runChain(
  chain: readonly Middleware[],
  call: MiddlewareCall,
  kernel: (settle: Settle) => void,
): Promise<Settled> {
  const from = (n: number): Promise<Settled> => {
    const link = chain[n];
    if (link !== undefined) return Promise.resolve(link(call, () => from(n + 1)));
    return new Promise((resolve, reject) => {
      kernel((settled) => (settled instanceof Error ? reject(settled) : resolve(settled)));
    });
  };
  return from(0);
}
