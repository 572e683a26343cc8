/** When a server on standard streams shuts down: at the end of input, at a signal, or when its client has disconnected. */

export interface ShutdownOptions {
  /** Whether the process's own streams are served: only then are its signals handled. */
  readonly ownsProcess: boolean;
  readonly shutdownMs: number;
  /** Whether the client is known to have disconnected. */
  isDisconnected(): boolean;
  /** Rejects new calls, waits this long for those in progress, then closes the connection. */
  drain(waitMs: number): void;
}

export interface Shutdown {
  inputEnded(): void;
  /** Stops handling signals once the connection is closed. */
  dispose(): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** After the end of input: how often to check whether the client is still connected. Its pipes close a moment before it exits. */
const checkEveryMs = 100;

export function createShutdown({ ownsProcess, shutdownMs, isDisconnected, drain }: ShutdownOptions): Shutdown {
  let startedBy: 'nothing' | 'end of input' | 'signal' = 'nothing';
  let check: NodeJS.Timeout | undefined;

  /** The first signal drains. After the end of input it aborts the calls in progress, since their client no longer waits. A second signal exits at once. */
  function onSignal(_name: NodeJS.Signals, number: number): void {
    if (startedBy === 'signal') process.exit(128 + number);
    drain(startedBy === 'end of input' ? 0 : shutdownMs);
    startedBy = 'signal';
  }

  /** No client waits for the answers: calls in progress are aborted. */
  function checkClient(): void {
    if (!isDisconnected()) return;
    clearInterval(check);
    drain(0);
  }

  if (ownsProcess) for (const name of signals) process.on(name, onSignal);
  return {
    inputEnded() {
      if (startedBy === 'nothing') startedBy = 'end of input';
      drain(shutdownMs);
      if (ownsProcess) check = setInterval(checkClient, checkEveryMs);
    },
    dispose() {
      clearInterval(check);
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
