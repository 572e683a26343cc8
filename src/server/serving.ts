/** What all connections of one server share. */
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import type { Sealer } from './asking/sealed-state.ts';
import type { ChangeFeed } from './changes.ts';
import type { Middleware } from './middleware.ts';
import type { Registry } from './registry.ts';

export interface Serving {
  /** The registry as it is now. */
  registry(): Registry;
  readonly feed: ChangeFeed;
  readonly middleware: readonly Middleware[];
  readonly sealer: Sealer;
  readonly deadlines: Deadlines;
  /** How long a call may take, unless its tool says otherwise. */
  readonly timeoutMs: number | undefined;
  /** How many calls of one connection may run at once. */
  readonly maxConcurrent: number;
  /** How often one call may ask. */
  readonly maxRounds: number;
  /** Whether handlers that ask are run again under every revision, as they are where every request stands alone. */
  readonly replay: boolean;
  /** Hears of what a handler threw and no peer may see. */
  failed(error: unknown, call: FailedCall): void;
}

export interface FailedCall {
  readonly method: string;
  /** The tool, prompt or URI that was called. */
  readonly target: string;
}
