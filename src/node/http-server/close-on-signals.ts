/** Ends a process well when it is told to go: the first signal closes, a second one does not wait for it. */

const names = ['SIGINT', 'SIGTERM'] as const;

/** Gives a function that stops listening to signals. */
export function closeOnSignals(close: () => Promise<void>): () => void {
  let state: 'serving' | 'closing' = 'serving';

  function hear(_name: NodeJS.Signals, number: number): void {
    if (state === 'closing') process.exit(128 + number);
    state = 'closing';
    close().then(() => process.exit(0), failed);
  }

  /** It was told to go, and goes. */
  function failed(cause: unknown): void {
    console.error('tenon: closing failed:', cause);
    process.exit(1);
  }

  for (const name of names) process.on(name, hear);
  return () => {
    for (const name of names) process.off(name, hear);
  };
}
