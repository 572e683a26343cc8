import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryTransports } from './memory.ts';
import type { Transport, TransportListener } from './transport.ts';

/** Resolves when every microtask asked for so far, and those they ask for in turn, has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function logTo(log: string[], name = ''): TransportListener {
  return {
    onMessage: (text) => log.push(`${name}${text}`),
    onClose: (reason) => log.push(`${name}closed${reason === undefined ? '' : `: ${reason.message}`}`),
    onWarning: (error) => log.push(`${name}warning ${error.code}`),
  };
}

const withCode = (code: string): unknown => expect.objectContaining({ code });

describe('delivery', () => {
  test('frames arrive in order, in both directions, and never inside send', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    left.open(logTo(log, 'left '));
    right.open(logTo(log, 'right '));
    left.send('1');
    left.send('2');
    right.send('3');
    expect(log).toEqual([]);
    await settled();
    expect(log).toEqual(['right 1', 'right 2', 'left 3']);
  });

  test('frames sent before the other side opens wait for it', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    left.send('1');
    left.open(logTo([]));
    left.send('2');
    await settled();
    right.open(logTo(log));
    expect(log).toEqual([]);
    left.send('3');
    await settled();
    expect(log).toEqual(['1', '2', '3']);
  });

  test('a burst takes one microtask, and what is sent while it is delivered takes a later one', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    right.open(logTo(log));
    left.open({
      onClose: () => {},
      onMessage(text) {
        log.push(text);
        if (text !== 'ping 1') return;
        right.send('echo of the first');
        queueMicrotask(() => log.push('a turn in between'));
      },
    });
    for (const text of ['ping 1', 'ping 2', 'ping 3']) right.send(text);
    await Promise.resolve();
    expect(log).toEqual(['ping 1', 'ping 2', 'ping 3']);
    await settled();
    expect(log.slice(3)).toEqual(['echo of the first', 'a turn in between']);
  });

  test('a side that keeps sending to the other does not keep it from answering', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    let rounds = 0;
    left.open({ onClose: () => {}, onMessage: (text) => log.push(`answer ${text}`) });
    right.open({
      onClose: () => {},
      onMessage(text) {
        right.send(text);
        if (++rounds < 5) left.send(String(rounds));
      },
    });
    left.send('0');
    await settled();
    expect(log).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3', 'answer 4']);
  });

  test('a hundred thousand turns of ping and pong do not grow the stack', async () => {
    const [left, right] = createMemoryTransports();
    let turns = 0;
    left.open({ onClose: () => {}, onMessage: (text) => (turns += 1) < 100_000 && left.send(text) });
    right.open({ onClose: () => {}, onMessage: (text) => right.send(text) });
    left.send('ball');
    await settled();
    expect(turns).toBe(100_000);
  });
});

describe('limits', () => {
  test.each([
    ['frame', { maxMessages: 2 }, ['12', '3']],
    ['character', { maxChars: 5 }, ['123', '45']],
  ] as const)('one %s more than may wait is refused and ends both sides by name', async (_what, limits, fitting) => {
    const [left, right] = createMemoryTransports(limits);
    const ends: unknown[] = [];
    const log: string[] = [];
    left.open({ onMessage: () => {}, onClose: (reason) => ends.push(reason) });
    for (const frame of fitting) left.send(frame);
    expect(() => left.send('6')).toThrow(withCode('queue-full'));
    expect(() => left.send('7')).toThrow(withCode('connection-closed'));
    right.open({ onMessage: (text) => log.push(text), onClose: (reason) => ends.push(reason) });
    await settled();
    expect(log).toEqual(fitting);
    expect(ends).toMatchObject([{ code: 'queue-full' }, { code: 'queue-full' }]);
  });

  test('what was read makes room again', async () => {
    const [left, right] = createMemoryTransports({ maxMessages: 2, maxChars: 5 });
    const log: string[] = [];
    right.open(logTo(log));
    left.send('123');
    left.send('45');
    await settled();
    left.send('12345');
    await settled();
    expect(log).toEqual(['123', '45', '12345']);
  });

  test('frames of a burst that still wait behind the one being read count as waiting', async () => {
    const [left, right] = createMemoryTransports({ maxMessages: 2 });
    const log: string[] = [];
    right.open({
      onClose: () => {},
      onMessage(text) {
        log.push(text);
        if (text !== '1') return;
        left.send('3');
        expect(() => left.send('4')).toThrow(withCode('queue-full'));
      },
    });
    left.send('1');
    left.send('2');
    await settled();
    expect(log).toEqual(['1', '2', '3']);
  });
});

describe('closing', () => {
  test('the other side receives what was sent, then the close; this side gets its own reason', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    left.open(logTo(log, 'left '));
    right.open(logTo(log, 'right '));
    left.send('1');
    left.close(new Error('done'));
    left.close(new Error('again'));
    expect([left.state, right.state]).toEqual(['closed', 'open']);
    expect(log).toEqual([]);
    await settled();
    expect(log.toSorted()).toEqual(['left closed: done', 'right 1', 'right closed']);
    expect(log.indexOf('right 1')).toBeLessThan(log.indexOf('right closed'));
    expect(right.state).toBe('closed');
  });

  test('a side that closes while it reads receives no further message', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    right.open({ ...logTo(log), onMessage: (text) => (log.push(text), right.close()) });
    left.send('1');
    left.send('2');
    await settled();
    expect(log).toEqual(['1', 'closed']);
  });

  test('what is sent to a side that has closed is dropped until the close arrives, then refused', async () => {
    const [left, right] = createMemoryTransports({ maxMessages: 1 });
    left.open(logTo([]));
    right.open(logTo([]));
    right.close();
    left.send('1');
    left.send('2');
    await settled();
    expect(() => left.send('3')).toThrow(withCode('connection-closed'));
  });

  test('a side that opens late receives what was sent and the close', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    left.send('1');
    left.close();
    await settled();
    expect(right.state).toBe('idle');
    right.open(logTo(log));
    await settled();
    expect(log).toEqual(['1', 'closed']);
  });

  test('when both close, each is notified once', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    left.open(logTo(log, 'left '));
    right.open(logTo(log, 'right '));
    left.close();
    right.close();
    await settled();
    expect(log.toSorted()).toEqual(['left closed', 'right closed']);
  });

  test('a transport opens once, and not after it was closed', () => {
    const [left] = createMemoryTransports();
    left.open(logTo([]));
    expect(() => left.open(logTo([]))).toThrow(withCode('already-open'));
    left.close();
    expect(() => left.open(logTo([]))).toThrow(withCode('connection-closed'));
    expect(() => left.send('1')).toThrow(withCode('connection-closed'));
  });
});

describe('a listener that throws', () => {
  const thrown: unknown[] = [];
  const keep = (error: unknown): void => void thrown.push(error);
  const others = process.listeners('uncaughtException');

  function catchUncaught(): void {
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', keep);
  }

  afterEach(() => {
    process.off('uncaughtException', keep);
    for (const listener of others) {
      if (!process.listeners('uncaughtException').includes(listener)) process.on('uncaughtException', listener);
    }
    thrown.length = 0;
  });

  const broken = (log: string[]): TransportListener => ({
    onClose: () => log.push('closed'),
    onMessage(text) {
      if (text === 'bad') throw new RangeError('broken');
      log.push(text);
    },
  });

  test('gets a warning and the later messages', async () => {
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    right.open({ ...broken(log), onWarning: (error) => log.push(`${error.code} ${String(error.cause)}`) });
    for (const text of ['1', 'bad', '2']) left.send(text);
    await settled();
    expect(log).toEqual(['1', 'callback-failed RangeError: broken', '2']);
  });

  test('without onWarning the error is uncaught, and the later messages still arrive', async () => {
    catchUncaught();
    const [left, right] = createMemoryTransports();
    const log: string[] = [];
    right.open(broken(log));
    for (const text of ['1', 'bad', '2']) left.send(text);
    left.close();
    await settled();
    expect(log).toEqual(['1', '2', 'closed']);
    expect(thrown).toEqual([new RangeError('broken')]);
  });

  test('in onClose, gets a warning; an onWarning that throws too is uncaught', async () => {
    catchUncaught();
    const [left, right] = createMemoryTransports();
    const received: string[] = [];
    right.open({
      onMessage: () => {},
      onClose() {
        throw new Error('first');
      },
      onWarning(error) {
        received.push(error.code);
        throw new Error('second');
      },
    });
    left.close();
    await settled();
    expect(received).toEqual(['callback-failed']);
    expect(thrown).toEqual([new Error('second')]);
  });
});

type Step = { side: 0 | 1; do: 'send' | 'open' | 'reply' | 'wait' };

test('in whatever order the sides open, send and answer, nothing is lost, doubled or out of order', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    side: fc.constantFrom(0 as const, 1 as const),
    do: fc.constantFrom('send' as const, 'send' as const, 'open' as const, 'reply' as const, 'wait' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const ends = createMemoryTransports();
      const sent: [string[], string[]] = [[], []];
      const received: [string[], string[]] = [[], []];
      const send = (side: 0 | 1, text: string): void => {
        ends[side].send(text);
        sent[side].push(text);
      };
      const open = (side: 0 | 1): void => {
        if (ends[side].state !== 'idle') return;
        ends[side].open({
          onClose: () => received[side].push('closed'),
          onMessage(text) {
            received[side].push(text);
            if (text.startsWith('reply')) send(side, `answer to ${text}`);
          },
        });
      };
      for (const [index, each] of steps.entries()) {
        if (each.do === 'wait') await Promise.resolve();
        else if (each.do === 'open') open(each.side);
        else send(each.side, `${each.do} ${index}`);
      }
      open(0);
      open(1);
      await settled();
      ends[0].close();
      await settled();
      expect(received[1]).toEqual([...sent[0], 'closed']);
      expect(received[0]).toEqual([...sent[1], 'closed']);
      expect(ends.map((end: Transport) => end.state)).toEqual(['closed', 'closed']);
    }),
    { seed: 7, numRuns: 300 },
  );
});
