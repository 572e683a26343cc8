/** The promises that a handler gets for its requests. Their rejections are limited: a handler may catch them in a loop. */
import { RpcError } from '../../../jsonrpc/errors.ts';

/** Further rejections come in a later task of the event loop, so that a handler that retries in a loop cannot block the process. */
const maxImmediateRejections = 1000;

export interface RejectingRun {
  /** Whether the run has not ended. */
  isRunning(): boolean;
  /** The run ends: the call has failed, whether or not the handler catches the error. */
  failed(error: RpcError): void;
}

export class LimitedRejections {
  readonly #run: RejectingRun;
  #raised = 0;

  constructor(run: RejectingRun) {
    this.#run = run;
  }

  report<T>(answers: Promise<T>): Promise<T> {
    return quiet(answers.catch((reason) => this.#raise(reason)));
  }

  /**
   * A handler that catches the rejection and requests again in a loop would block the event loop. Beyond a limit it is
   * rejected in a later task; if its run has ended, its promise never settles, and the call fails without it.
   */
  #raise(reason: unknown): Promise<never> {
    this.#raised += 1;
    if (this.#raised <= maxImmediateRejections) return Promise.reject(reason);
    if (this.#run.isRunning()) return new Promise((_, reject) => setTimeout(reject, 0, reason));
    this.#run.failed(RpcError.from(reason));
    return new Promise(() => {});
  }
}

/** A handler that ends at its first rejection does not handle the others: they must not end the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
