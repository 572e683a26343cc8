/** The warnings of one connection: passed to `onWarning`, and to `onError` too if a handler has to be fixed. */

import { toWarning } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { CallLimits, ErrorContext } from '../ports/call-limits.ts';
import { failedRequest } from '../ports/target.ts';

const noRequest: ErrorContext = { method: '', target: '' };

export class ConnectionWarnings {
  readonly #failed: CallLimits['failed'];
  readonly #listener: ((error: TenonError) => void) | undefined;
  /** The request that is being answered. Warnings about its answer are reported with it. */
  answering: RequestMessage | undefined;

  constructor({ failed }: CallLimits, listener: ((error: TenonError) => void) | undefined) {
    this.#failed = failed;
    this.#listener = listener;
  }

  /** An invalid result of a handler goes to `failed`, and so does an error that `onWarning` throws. */
  report(
    error: Error,
    call: ErrorContext = this.answering === undefined ? noRequest : failedRequest(this.answering),
  ): void {
    if (error instanceof TenonError && error.code === 'invalid-outgoing-message') this.#failed(error, call);
    runSafely(
      () => this.#listener?.(toWarning(error)),
      (cause) => this.#failed(new TenonError('callback-failed', 'The callback onWarning threw.', { cause }), call),
    );
  }
}
