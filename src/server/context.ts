/** The context of one call. Its signal is made when first looked at: most handlers never do. */
import type { Context } from './definition.ts';

export interface CallContext extends Context {
  cancel(reason: unknown): void;
}

export function createCallContext(): CallContext {
  let controller: AbortController | undefined;
  return {
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
    cancel(reason) {
      controller ??= new AbortController();
      controller.abort(reason);
    },
  };
}
