/** The outcome of a finished call, as it is stored for repeats: as text, so that no receiver can change it for another. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Done } from '../../protocol/neutral.ts';

export type StoredOutcome =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly error: RpcError }
  | typeof dropped;

/** The outcome was too large, or had to make room for others. */
export const dropped = { kind: 'dropped' } as const;

export function storedOutcome(settled: Done | RpcError, maxChars: number): StoredOutcome {
  if (settled instanceof RpcError) return { kind: 'error', error: settled };
  try {
    const text = JSON.stringify(settled);
    return text.length > maxChars ? dropped : { kind: 'result', text };
  } catch {
    return dropped;
  }
}

/** How many characters it stores. */
export const charsOf = (outcome: StoredOutcome): number => (outcome.kind === 'result' ? outcome.text.length : 0);

/** The outcome for a repeat; `undefined` if it is no longer stored. */
export function readOutcome(outcome: StoredOutcome): Done | RpcError | undefined {
  if (outcome.kind === 'dropped') return undefined;
  return outcome.kind === 'error' ? outcome.error : (JSON.parse(outcome.text) as Done);
}
