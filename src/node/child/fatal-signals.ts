/** Handles the signals that end a process, unless other code does: a program with its own listener decides what happens. */

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface FatalSignals {
  start(): void;
  stop(): void;
}

/** `onFatal` is called with each signal that would have ended the process. */
export function createFatalSignals(onFatal: (signal: NodeJS.Signals) => void): FatalSignals {
  let state: 'stopped' | 'listening' = 'stopped';

  /** Runs before all other listeners, so that those added by `once` are still counted. */
  function onSignal(signal: NodeJS.Signals): void {
    if (process.listenerCount(signal) > 1) stepAside(signal);
    else onFatal(signal);
  }

  /**
   * Some listeners, such as signal-exit, act only if they are the only one: while they handle this signal, they are. A
   * listener that is removed meanwhile may be about to send the signal again to end the process: that one is handled.
   */
  function stepAside(signal: NodeJS.Signals): void {
    const left = (name: string | symbol): void => {
      if (name === signal && state === 'listening' && !process.listeners(signal).includes(onSignal))
        process.on(signal, onSignal);
    };
    process.off(signal, onSignal);
    process.on('removeListener', left);
    process.nextTick(() => {
      process.off('removeListener', left);
      if (state === 'listening') comeFirst(signal);
    });
  }

  /** There is always a listener: without one a signal would end the process. */
  function comeFirst(signal: NodeJS.Signals): void {
    if (process.listeners(signal)[0] === onSignal) return;
    process.off(signal, onSignal);
    process.prependListener(signal, onSignal);
  }

  return {
    start() {
      state = 'listening';
      for (const name of names) comeFirst(name);
    },
    stop() {
      state = 'stopped';
      for (const name of names) process.off(name, onSignal);
    },
  };
}
