import { expect, it, vi } from 'vitest';
import { createDeadlines } from '../../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import { createMemoryStore } from '../../../../store/memory.ts';
import type { Change } from '../../../ports/change-notifications.ts';
import type { LaterChanges } from './change-log.ts';
import { changesFor } from './session-changes.ts';

const changeOf = (number: number): Change => ({ kind: 'resource', uri: `note://${number}` });

/** A session that is behind, and a log of changes. */
function start() {
  const clock = createFakeClock();
  const sent: (number | undefined)[] = [];
  const log = { last: 0, known: () => undefined, after };
  const stream = { written: undefined as number | undefined, reads: 0 };
  let onRead = (): void => {};
  async function after(number: number): Promise<LaterChanges> {
    const end = log.last;
    const changes = [];
    for (let n = number + 1; n <= end; n++) changes.push({ number: n, change: changeOf(n) });
    onRead();
    return { changes, isMissed: false, end };
  }
  const session = {
    key: 'key',
    host: {
      store: createMemoryStore(),
      serving: { deadlines: createDeadlines(clock) },
      changes: log,
      warn: (error: Error) => {
        throw error;
      },
    },
    notifier: { isHere: true, isBehind: true, unstored: 0 },
    isInUse: true,
    serverStream: {
      lastChange: async () => stream.written,
      catchUp: () => void stream.reads++,
      stored: () => undefined,
    },
    sendChange: (_change: Change, number: number | undefined) => void sent.push(number),
  };
  return { session, clock, log, stream, sent, whenRead: (run: () => void) => void (onRead = run) };
}

it('sends a change that happens while the log is read', async () => {
  const { session, log, sent, whenRead } = start();
  log.last = 2;
  whenRead(() => {
    log.last = 3;
  });
  changesFor(session).now();
  await vi.waitUntil(() => !session.notifier.isBehind);
  expect(sent).toEqual([1, 2, 3]);
});

it('sends a change again that could not be stored while the log was read', async () => {
  const { session, clock, log, sent, whenRead } = start();
  log.last = 1;
  whenRead(() => {
    log.last = 2;
    whenRead(() => {
      session.notifier.unstored++;
      whenRead(() => {});
    });
  });
  changesFor(session).now();
  await vi.waitUntil(() => clock.pending > 0);
  expect([sent, session.notifier.isBehind]).toEqual([[1, 2], true]);
  clock.advance(1000);
  await vi.waitUntil(() => !session.notifier.isBehind);
  expect(sent).toEqual([1, 2, 1, 2]);
});

it('reads the stream of the session, which the node that notified it before may have written', async () => {
  const { session, log, stream, sent } = start();
  log.last = 2;
  stream.written = 2;
  changesFor(session).now();
  await vi.waitUntil(() => !session.notifier.isBehind);
  expect([sent, stream.reads]).toEqual([[], 1]);
});
