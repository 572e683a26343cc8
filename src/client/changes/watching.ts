/** Reads a list or a resource now and after every change, one read at a time, with a pause after each. A read that failed is repeated. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { unknown } from '../../lib/options/option-rules.ts';
import { digestOf } from '../../lib/text/canonical-json.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Subscription } from '../api/changes.ts';
import type { CallOptions, WaitOptions, Watcher } from '../api/client.ts';
import { checkCall } from '../calls/call-options.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import { pauseMs } from '../retry/backoff.ts';
import { isOutage, outcomeOf } from '../retry/failure-outcome.ts';
import { isAcknowledged } from './changes.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WatchPorts {
  readonly subscriptions: Subscriptions;
  readonly supervisor: Pick<ConnectionSupervisor, 'isClosed' | 'pause'>;
  readonly settings: Pick<ClientSettings, 'refreshIntervalMs'>;
  /** Called with errors of listeners and of reads. */
  warn(error: Error): void;
}

/** The longest pause while the server cannot be reached. */
const maxPauseMs = 30_000;

const known: readonly string[] = ['signal', 'timeoutMs'] satisfies Array<keyof WaitOptions>;

/** Opens a stream of changes, within the time limit of the caller. */
export async function openChanges(
  { subscriptions }: WatchPorts,
  filter: SubscriptionFilter,
  options?: WaitOptions,
  method = 'subscribe()',
): Promise<Subscription> {
  checkCall(method, undefined, options);
  for (const [name, value] of Object.entries(options ?? {}))
    if (value !== undefined && !known.includes(name)) throw unknown(method, name, known);
  return subscriptions.open(filter, options);
}

export async function watch<T>(
  ports: WatchPorts,
  filter: SubscriptionFilter,
  read: (options?: CallOptions) => Promise<T>,
  onChange: (value: T) => void | Promise<void>,
  options?: WaitOptions,
): Promise<Watcher> {
  const changes = await openChanges(ports, filter, options, 'watch()');
  if (!isAcknowledged(filter, changes.acknowledged)) {
    await changes.close();
    throw notAcknowledged(filter);
  }
  const closing = new AbortController();
  let lastDigest: string;
  const notifyIfChanged = async (value: T): Promise<void> => {
    const digest = digestOf(value);
    // An equal value is no change.
    if (digest === lastDigest) return;
    lastDigest = digest;
    try {
      await onChange(value);
    } catch (cause) {
      ports.warn(new TenonError('callback-failed', 'The callback of a watcher threw.', { cause }));
    }
  };
  // The connection itself reports that it closed.
  const readFailed = (error: Error): void => {
    if (!(error instanceof TenonError && error.code === 'connection-closed')) ports.warn(error);
  };
  try {
    // A cached value may be from before the stream was open.
    const value = await read({ ...options, cache: 'reload' });
    lastDigest = digestOf(value);
    await onChange(value);
  } catch (error) {
    await changes.close();
    throw error;
  }
  const readOnce = async (): Promise<Error | undefined> => {
    try {
      await notifyIfChanged(await read());
      return undefined;
    } catch (error) {
      readFailed(error as Error);
      return error as Error;
    }
  };
  const { supervisor, settings } = ports;
  const readUntilAnswered = async (): Promise<void> => {
    for (let tries = 1; !closing.signal.aborted; tries++) {
      const error = await readOnce();
      // The stream stores a change that comes meanwhile, so the last one is never lost.
      const waitMs = error === undefined ? 0 : Math.min(maxPauseMs, pauseMs(tries, error));
      await supervisor.pause(Math.max(settings.refreshIntervalMs, waitMs), closing.signal);
      if (!mayBeRepeated(error) || supervisor.isClosed) return;
    }
  };
  const watching = (async () => {
    // After a read that the server refused the next change is still read: a removed resource may come back.
    for await (const _ of changes) {
      if (closing.signal.aborted) return;
      await readUntilAnswered();
    }
  })();
  // The connection itself reports the end of the stream.
  watching.catch(() => {});
  return {
    close() {
      closing.abort();
      return changes.close();
    },
  };
}

/** Whether the server gave no answer, so that the change is still to be read. */
const mayBeRepeated = (error: Error | undefined): boolean =>
  error !== undefined && (isOutage(error) || outcomeOf(error) !== 'settled');

/** The server declared it, and does not notify: a watcher would never be called. */
const notAcknowledged = (filter: SubscriptionFilter): TenonError => {
  const [requested] = Object.keys(filter);
  return new TenonError(
    'capability-not-supported',
    `The server did not acknowledge ${requested}, so nothing can be watched.`,
    {
      hint: 'Read it again from time to time instead.',
      details: { neededBy: requested },
    },
  );
};
