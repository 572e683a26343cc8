/** A store of tasks at which a process stops: one of its operations never settles, and none that follows takes effect. */
import type { TaskStore } from 'tenon/store';
import { deferred } from '../../../kit/deferred.ts';

/** When the process stops: before the operation took effect, or when it did but its answer has not arrived; `late`: it goes on when it is woken. */
export type Moment = 'before' | 'after' | 'late';

export interface CrashingStore {
  readonly tasks: TaskStore;
  /** Resolves when the process has stopped. */
  readonly crashed: Promise<void>;
  readonly isCrashed: boolean;
  /** How many operations have begun. */
  readonly operations: number;
  /** A process that was only paused goes on. */
  wake(): void;
}

type Operation = (...given: unknown[]) => unknown;

/** Stops at operation number `at`, counted from 1. */
export function crashing(store: TaskStore, at = Number.POSITIVE_INFINITY, moment: Moment = 'before'): CrashingStore {
  const crash = deferred();
  const woken = deferred();
  let operations = 0;

  const stopped = async (run: () => unknown): Promise<unknown> => {
    await woken.promise;
    return run();
  };

  /** An asynchronous store needs a while until the operation has taken effect. */
  const stop = async (last: () => unknown): Promise<void> => {
    try {
      await last();
    } finally {
      crash.resolve();
    }
  };

  function operate(run: () => unknown): unknown {
    const number = ++operations;
    if (number < at) return run();
    if (number === at) void stop(moment === 'after' ? run : () => undefined);
    return stopped(run);
  }

  return {
    tasks: new Proxy(store, {
      get(target, name) {
        const operation = Reflect.get(target, name) as Operation;
        return (...given: unknown[]) => operate(() => operation.apply(target, given));
      },
    }),
    crashed: crash.promise,
    get isCrashed() {
      return operations >= at;
    },
    get operations() {
      return operations;
    },
    wake: () => {
      if (moment === 'late') woken.resolve();
    },
  };
}
