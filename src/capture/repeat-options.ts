/** The options of `repeatCalls`, and what its callback gets. */
import type { Difference } from './compare-results.ts';
import type { CompareOptions } from './options.ts';
import type { RecordedCall } from './replay/calls-in-capture.ts';

/**
 * The options of `repeatCalls`.
 * @area capture
 */
export interface RepeatOptions extends CompareOptions {
  /**
   * Called after each call.
   * @default off
   */
  readonly onCall?: (call: RepeatedCall) => void;
  /**
   * Ends it: the call in progress is cancelled, and `repeatCalls` rejects.
   * @default off
   * @rule abortSignal
   */
  readonly signal?: AbortSignal;
}

/** A call that was made again. */
export interface RepeatedCall {
  /** The recorded call. */
  readonly call: RecordedCall;
  /** The result that it has now. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The error that it has now. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** Where the outcome differs from the recorded one. Empty if it does not. */
  readonly differences: readonly Difference[];
  /** How long it took, in milliseconds. */
  readonly ms: number;
}
