/** What holds for every call of one server, whatever connection it comes by. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { Once } from '../kernel/idempotency.ts';

export interface Terms {
  readonly deadlines: Deadlines;
  /** How long a call may take, unless its own definition says otherwise. */
  readonly timeoutMs: number | undefined;
  /** How often one call may ask. */
  readonly maxRounds: number;
  /** Has calls that name an idempotency key carried out once; absent where keys are ignored. */
  readonly once: Once | undefined;
  /** Hears of what a handler threw and no peer may see. */
  failed(error: unknown, call: FailedCall): void;
}

export interface FailedCall {
  readonly method: string;
  /** The tool, prompt or URI that was called. */
  readonly target: string;
  /** The id of the HTTP request that brought it, where one did. */
  readonly requestId?: string;
}
