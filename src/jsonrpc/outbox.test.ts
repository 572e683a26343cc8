import { describe, expect, test } from 'vitest';
import { recordingPeer as open } from '../../test/kit/transport/recording-peer.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';

/** An AbortSignal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal) as (...given: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as (...given: unknown[]) => void;
  const counted = { listeners: 0 };
  signal.addEventListener = (...given: unknown[]) => {
    counted.listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: unknown[]) => {
    counted.listeners -= 1;
    remove(...given);
  };
  return { controller, signal, counted };
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    (error) => error.code,
  );

describe('requests of this side', () => {
  test('ids are integers that count up and are never used again [S28, e-base-04, e-base-05, e-base-06, s-base-04, s-base-05, s-base-06]', async () => {
    const { peer, sent, answer } = open();
    const first = peer.request('a');
    answer(1);
    await first;
    const rest = [peer.request('b'), peer.request('c', {}), peer.request('d', [1])];
    expect(sent()).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', id: 2, method: 'b' },
      { jsonrpc: '2.0', id: 3, method: 'c', params: {} },
      { jsonrpc: '2.0', id: 4, method: 'd', params: [1] },
    ]);
    for (const id of [2, 3, 4]) answer(id);
    await Promise.all(rest);
  });

  test('answers that come out of order find their requests [S28]', async () => {
    const { peer, answer } = open();
    const results = Promise.all([peer.request('a'), peer.request('b'), peer.request('c')]);
    for (const id of [3, 1, 2]) answer(id, { answers: id });
    expect(await results).toEqual([{ answers: 1 }, { answers: 2 }, { answers: 3 }]);
  });

  test('an id that comes back as text still finds its request', async () => {
    const { peer, answer } = open();
    const result = peer.request('a');
    answer('1', { fine: true });
    expect(await result).toEqual({ fine: true });
  });

  test('a result may be any JSON value, null and false too', async () => {
    const { peer, answer } = open();
    for (const [at, value] of [null, false, 0, '', []].entries()) {
      const result = peer.request('a');
      answer(at + 1, value);
      expect(await result).toEqual(value);
    }
  });

  test('an error answer rejects with its number, text and data', async () => {
    const { peer, deliver } = open();
    const result = peer.request('a');
    deliver({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found', data: { method: 'a' } } });
    await expect(result).rejects.toMatchObject({ name: 'RpcError', code: -32601, data: { method: 'a' } });
  });

  test('doubled, late and unknown answers are dropped quietly and counted [S28]', async () => {
    const { peer, answer, deliver, warnings, frames } = open();
    const result = peer.request('a');
    answer(1, 'first');
    answer(1, 'second');
    deliver({ jsonrpc: '2.0', id: '1', error: { code: 1, message: 'late' } });
    for (const id of [2, 0, -1, 'x', '', '99999999999999999999']) answer(id);
    expect(await result).toBe('first');
    expect(peer.counts).toEqual({ late: 2, unknown: 6, invalid: 0 });
    expect(warnings).toEqual([]);
    expect(frames).toHaveLength(1);
  });

  test('params that are no object or list are refused before anything is sent', async () => {
    const { peer, frames } = open();
    for (const params of [null, 'text', 5, () => {}]) {
      expect(await codeOf(peer.request('a', params))).toBe('invalid-outgoing-message');
    }
    expect(frames).toEqual([]);
  });

  test('a request that cannot be sent rejects, alone, and leaves nothing behind', async () => {
    let broken = false;
    const carried: string[] = [];
    const { peer, clock, answer, abandoned } = open(
      {},
      {
        send: (frame) => {
          if (broken) throw new TenonError('queue-full', 'full');
          carried.push(frame);
        },
      },
    );
    const { signal, counted } = countedSignal();
    const before = peer.request('a');
    broken = true;
    expect(await codeOf(peer.request('b', {}, { timeoutMs: 10, signal }))).toBe('queue-full');
    broken = false;
    const after = peer.request('c');
    answer(1, 'a');
    answer(3, 'c');
    expect([await before, await after]).toEqual(['a', 'c']);
    expect(carried).toHaveLength(2);
    expect(clock.pending).toBe(0);
    expect(counted.listeners).toBe(0);
    expect(abandoned).toEqual([]);
  });

  test('an answer that comes while the request is being sent leaves no timer and no listener', async () => {
    const { signal, counted } = countedSignal();
    const side = open({}, { send: () => side.answer(1, 'quick') });
    expect(await side.peer.request('a', {}, { timeoutMs: 10, signal })).toBe('quick');
    expect(side.clock.pending).toBe(0);
    expect(counted.listeners).toBe(0);
  });

  test('more than the limit are refused by name until there is room', async () => {
    const { peer, answer, frames } = open({ maxPending: 2 });
    const first = peer.request('a');
    const second = peer.request('b');
    expect(await codeOf(peer.request('c'))).toBe('queue-full');
    expect(frames).toHaveLength(2);
    answer(1);
    await first;
    const third = peer.request('d');
    answer(2);
    answer(3);
    await Promise.all([second, third]);
    expect(frames).toHaveLength(3);
  });
});

describe('time-outs and aborts', () => {
  test('no answer in time rejects with timeout, each request by its own measure [S28, e-cancel-08, s-lifecycle-27]', async () => {
    const { peer, clock, abandoned, answer } = open();
    const quick = codeOf(peer.request('quick', {}, { timeoutMs: 10 }));
    const slow = codeOf(peer.request('slow', {}, { timeoutMs: 30 }));
    const patient = peer.request('patient');
    clock.advance(9);
    expect(abandoned).toEqual([]);
    clock.advance(1);
    expect(await quick).toBe('timeout');
    clock.advance(20);
    expect(await slow).toBe('timeout');
    expect(abandoned).toEqual([
      { id: 1, method: 'quick', code: 'timeout' },
      { id: 2, method: 'slow', code: 'timeout' },
    ]);
    clock.advance(1_000_000);
    answer(3, 'there');
    expect(await patient).toBe('there');
  });

  test('an answer in time stops the clock; one after it is dropped and counted [e-cancel-15, s-cancellation-08]', async () => {
    const { peer, clock, answer, abandoned } = open();
    const first = peer.request('a', {}, { timeoutMs: 10 });
    answer(1, 'in time');
    expect(await first).toBe('in time');
    expect(clock.pending).toBe(0);
    const second = codeOf(peer.request('b', {}, { timeoutMs: 10 }));
    clock.advance(10);
    answer(2, 'late');
    expect(await second).toBe('timeout');
    expect(peer.counts.late).toBe(1);
    expect(abandoned).toHaveLength(1);
  });

  test('a request that goes on and on has its time anew, up to a limit of the time that ran', async () => {
    const { peer, clock } = open();
    const late = codeOf(peer.request('a', {}, { timeoutMs: 100 }));
    let isOver = false;
    late.then(() => (isOver = true));
    const goOn = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        clock.advance(60);
        peer.renew(1, 300);
      }
      await Promise.resolve();
    };
    await goOn(2);
    peer.pause();
    clock.advance(10_000);
    peer.resume();
    await goOn(2);
    peer.pause();
    clock.advance(10_000);
    peer.resume();
    expect(isOver).toBe(false);
    clock.advance(59);
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await late).toBe('timeout');
  });

  test('a signal aborted before sends nothing', async () => {
    const { peer, frames, abandoned } = open();
    const cause = new Error('why');
    await expect(peer.request('a', {}, { signal: AbortSignal.abort(cause) })).rejects.toMatchObject({
      code: 'cancelled',
      cause,
    });
    expect(frames).toEqual([]);
    expect(abandoned).toEqual([]);
  });

  test('a signal aborted later cancels the request once and lets the owner notify the other side', async () => {
    const { peer, clock, answer, abandoned } = open();
    const controller = new AbortController();
    const { signal } = controller;
    const result = codeOf(peer.request('a', {}, { signal, timeoutMs: 10 }));
    controller.abort('enough');
    answer(1);
    clock.advance(10);
    expect(await result).toBe('cancelled');
    expect(abandoned).toEqual([{ id: 1, method: 'a', code: 'cancelled' }]);
    expect(clock.pending).toBe(0);
    expect(peer.counts.late).toBe(1);
  });

  test.each(['answered', 'refused', 'timed out', 'closed'])(
    'the signal has no listener once a request is %s',
    async (end) => {
      const { peer, clock, answer, deliver, abandoned } = open();
      const { controller, signal, counted } = countedSignal();
      const settled = codeOf(peer.request('a', {}, { signal, timeoutMs: 10 }));
      expect(counted.listeners).toBe(1);
      if (end === 'answered') answer(1);
      else if (end === 'refused') deliver({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } });
      else if (end === 'timed out') clock.advance(10);
      else peer.close();
      await settled;
      expect(counted.listeners).toBe(0);
      const count = abandoned.length;
      controller.abort();
      expect(abandoned).toHaveLength(count);
    },
  );
});
