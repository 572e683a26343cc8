/** Closes a service on SIGINT or SIGTERM and then exits; a second signal exits at once. */

const names = ['SIGINT', 'SIGTERM'] as const;

/** Returns a function that stops listening for signals. */
export function closeOnSignals(close: () => Promise<void>): () => void {
  let state: 'serving' | 'closing' = 'serving';

  function onSignal(_name: NodeJS.Signals, number: number): void {
    if (state === 'closing') process.exit(128 + number);
    state = 'closing';
    close().then(() => process.exit(0), failed);
  }

  function failed(cause: unknown): void {
    console.error('tenon: closing failed:', cause);
    process.exit(1);
  }

  for (const name of names) process.on(name, onSignal);
  return () => {
    for (const name of names) process.off(name, onSignal);
  };
}
