/** The faults of one connection: told to whoever listens, and to the author what an author has to mend. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { runSafely } from '../../jsonrpc/run-safely.ts';
import type { FailedCall, Terms } from '../ports/call-limits.ts';
import { calledBy } from '../ports/target.ts';

const nowhere: FailedCall = { method: '', target: '' };

export class Faults {
  readonly #failed: Terms['failed'];
  readonly #listener: ((error: Error) => void) | undefined;
  /** The request that is answered at this moment: what keeps its answer from leaving is told before it is over. */
  answering: RequestMessage | undefined;

  constructor({ failed }: Terms, listener: ((error: Error) => void) | undefined) {
    this.#failed = failed;
    this.#listener = listener;
  }

  /** A listener that fails is itself a failure, and what a handler gave wrongly is its author's to hear. */
  tell(error: Error, call: FailedCall = this.answering === undefined ? nowhere : calledBy(this.answering)): void {
    if (error instanceof TenonError && error.code === 'invalid-outgoing') this.#failed(error, call);
    runSafely(
      () => this.#listener?.(error),
      (cause) => this.#failed(new TenonError('listener-failed', 'fault() failed.', { cause }), call),
    );
  }
}
