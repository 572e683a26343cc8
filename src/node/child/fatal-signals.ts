/** Hears the signals that a process dies of, where nobody else does: a host that hears one decides what comes of it. */

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface FatalSignals {
  start(): void;
  stop(): void;
}

/** `deadly` hears of each signal that would have ended the process if nobody listened. */
export function createFatalSignals(deadly: (signal: NodeJS.Signals) => void): FatalSignals {
  let state: 'deaf' | 'hearing' = 'deaf';

  /** Runs before all others, so that those who listen once are still there to be counted. */
  function hear(signal: NodeJS.Signals): void {
    if (process.listenerCount(signal) > 1) stepAside(signal);
    else deadly(signal);
  }

  /**
   * Others may act only where they find themselves alone, as signal-exit does: while they hear this signal, they are.
   * Whoever leaves meanwhile may be about to send the signal again and to die of it, and that one is heard.
   */
  function stepAside(signal: NodeJS.Signals): void {
    const left = (name: string | symbol): void => {
      if (name === signal && state === 'hearing' && !process.listeners(signal).includes(hear)) process.on(signal, hear);
    };
    process.off(signal, hear);
    process.on('removeListener', left);
    process.nextTick(() => {
      process.off('removeListener', left);
      if (state === 'hearing') comeFirst(signal);
    });
  }

  /** Without a moment in which nobody listens: a signal would end the process in it. */
  function comeFirst(signal: NodeJS.Signals): void {
    if (process.listeners(signal)[0] === hear) return;
    process.off(signal, hear);
    process.prependListener(signal, hear);
  }

  return {
    start() {
      state = 'hearing';
      for (const name of names) comeFirst(name);
    },
    stop() {
      state = 'deaf';
      for (const name of names) process.off(name, hear);
    },
  };
}
