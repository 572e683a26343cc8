/** The faults of one connection: told to whoever listens, and to the author what an author has to mend. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { guarded } from '../../jsonrpc/guarded.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { CallLimits, FailedCall } from '../ports/call-limits.ts';
import { failedRequest } from '../ports/target.ts';

const nowhere: FailedCall = { method: '', target: '' };

export class ConnectionWarnings {
  readonly #failed: CallLimits['failed'];
  readonly #listener: ((error: Error) => void) | undefined;
  /** The request that is answered at this moment: what keeps its answer from leaving is told before it is over. */
  answering: RequestMessage | undefined;

  constructor({ failed }: CallLimits, listener: ((error: Error) => void) | undefined) {
    this.#failed = failed;
    this.#listener = listener;
  }

  /** A listener that fails is itself a failure, and what a handler gave wrongly is its author's to hear. */
  report(
    error: Error,
    call: FailedCall = this.answering === undefined ? nowhere : failedRequest(this.answering),
  ): void {
    if (error instanceof TenonError && error.code === 'invalid-outgoing') this.#failed(error, call);
    guarded(
      () => this.#listener?.(error),
      (cause) => this.#failed(new TenonError('listener-failed', 'fault() failed.', { cause }), call),
    );
  }
}
