/** Looks at something now, and again after every change, one look at a time. */
import { TenonError } from '../jsonrpc/errors.ts';
import { digestOf } from '../protocol/canonical-json.ts';
import type { ChangeFilter } from './changes.ts';
import type { CallOptions, Watching } from './client.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WatchPorts {
  readonly subscriptions: Subscriptions;
  /** Hears what those who watch throw, and why a look failed. */
  fault(error: Error): void;
}

export async function watch<T>(
  ports: WatchPorts,
  filter: ChangeFilter,
  look: (options?: CallOptions) => Promise<T>,
  hear: (seen: T) => void | Promise<void>,
): Promise<Watching> {
  const changes = await ports.subscriptions.open(filter);
  let told: string;
  const tell = async (seen: T): Promise<void> => {
    const digest = digestOf(seen);
    // What may have changed, or was said to, and did not is no change.
    if (digest === told) return;
    told = digest;
    try {
      await hear(seen);
    } catch (cause) {
      ports.fault(new TenonError('listener-failed', 'What watches for changes threw.', { cause }));
    }
  };
  // What ends the connection is told by the connection itself.
  const missed = (error: Error): void => {
    if (!(error instanceof TenonError && error.code === 'connection-closed')) ports.fault(error);
  };
  try {
    // What is kept may be from before anybody listened.
    const seen = await look({ fresh: true });
    told = digestOf(seen);
    await hear(seen);
  } catch (error) {
    await changes.close();
    throw error;
  }
  const watching = (async () => {
    // A look that fails is no reason to miss the next change: what was removed may come back.
    for await (const _ of changes) await look().then(tell, missed);
  })();
  // What ends the watching is told by the connection itself.
  watching.catch(() => {});
  return { stop: () => changes.close() };
}
