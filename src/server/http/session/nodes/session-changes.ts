/** Sends a session the changes that it may not have got: another node notified it before, or the store failed. */
import type { Store } from '../../../../store/store.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { Change } from '../../../ports/change-notifications.ts';
import type { Warn } from '../../reporting/warnings.ts';
import { storeFailed } from '../session-record.ts';
import type { Changes } from './change-relay.ts';
import { StorePoll } from './store-poll.ts';

/** What is needed of the session. */
export interface NotifiedSession {
  readonly key: string;
  readonly host: {
    readonly store: Store;
    readonly serving: Pick<Serving, 'deadlines'>;
    readonly changes: Changes | undefined;
    readonly warn: Warn;
  };
  readonly notifier: { readonly isHere: boolean; isBehind: boolean; readonly unstored: number };
  readonly isInUse: boolean;
  readonly serverStream: {
    lastChange(): Promise<number | undefined>;
    catchUp(): void;
    stored(): Promise<void> | undefined;
  };
  sendChange(change: Change, number: number | undefined): void;
}

/** Polls until the session has all changes, or another node notifies it. */
export function changesFor(session: NotifiedSession): StorePoll {
  const { serving, warn } = session.host;
  return new StorePoll({
    deadlines: serving.deadlines,
    failed: (cause) => warn(storeFailed(cause)),
    isWaiting: () => session.notifier.isHere && session.notifier.isBehind && session.isInUse,
    read: async () => {
      const { changes } = session.host;
      if (changes !== undefined) await sendLater(session, changes);
    },
  });
}

async function sendLater(session: NotifiedSession, changes: Changes): Promise<void> {
  const { notifier } = session;
  const { unstored } = notifier;
  let isAll = false;
  let at = await lastSentTo(session);
  while (notifier.isHere && session.isInUse) {
    // Known before the log is read, which then has all changes up to it. Those that happen meanwhile are in the next.
    const { last } = changes;
    if (last === undefined) return;
    if (at >= last) {
      // Those that could not be stored meanwhile are sent again.
      if (notifier.unstored > unstored) return;
      notifier.isBehind = false;
      // The node that notified the session before may have written the last ones.
      session.serverStream.catchUp();
      if (isAll) await storePlace(session, at);
      return;
    }
    const { changes: later, isMissed, end } = await changes.after(at);
    if (!isMissed) for (const { number, change } of later) session.sendChange(change, number);
    else session.sendChange({ kind: 'all' }, undefined);
    isAll ||= isMissed;
    // What is read here and not announced yet is sent again, and the store refuses it.
    at = Math.max(end, last);
  }
}

/** Notifications that stand for all changes have no number in the stream, so the record has it once they are stored. */
async function storePlace({ notifier, serverStream, host, key }: NotifiedSession, at: number): Promise<void> {
  await serverStream.stored();
  if (notifier.isHere && !notifier.isBehind) await host.store.sessions.update(key, { changed: String(at) });
}

/** The last change that the session was notified of: as its stream has it, or its record where no later one concerned it. */
async function lastSentTo(session: NotifiedSession): Promise<number> {
  const [fields, inStream] = await Promise.all([
    session.host.store.sessions.read(session.key),
    session.serverStream.lastChange(),
  ]);
  return Math.max(Number(fields?.changed ?? 0), inStream ?? 0);
}
