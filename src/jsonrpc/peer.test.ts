import { describe, expect, test } from 'vitest';
import { recordingPeer as open } from '../../test/kit/transport/recording-peer.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { RequestId } from './message.ts';

describe('the end', () => {
  test('all that waits is rejected with connection-closed and its reason, and no timer is left', async () => {
    const { peer, clock, abandoned } = open();
    const reason = new Error('pipe broke');
    const waiting = [peer.request('a'), peer.request('b', {}, { timeoutMs: 5 })];
    peer.close(reason);
    peer.close(new Error('again'));
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'connection-closed', cause: reason });
    await expect(peer.request('c')).rejects.toMatchObject({ code: 'connection-closed', cause: reason });
    expect(() => peer.notify('n')).toThrow(expect.objectContaining({ code: 'connection-closed' }));
    expect(clock.pending).toBe(0);
    expect(abandoned).toEqual([]);
  });

  test('afterwards nothing is received and nothing is sent', () => {
    const { peer, frames, requests, ask, answer } = open();
    ask(1);
    peer.close();
    peer.answer(1, {});
    peer.refuse(1, { code: 1, message: 'no' });
    peer.forget(1);
    ask(2);
    answer(1);
    peer.receive('not json');
    expect(requests).toHaveLength(1);
    expect(frames).toEqual([]);
    expect(peer.counts).toEqual({ late: 0, unknown: 0, invalid: 0 });
  });

  test('an end in the midst of a batch ends the batch, and what was answered of it stays here', () => {
    const received: unknown[] = [];
    const side = open(
      { batches: () => true },
      { request: ({ id }) => (received.push(id), side.peer.answer(id, {})), notification: () => side.peer.close() },
    );
    const ask = (id: number) => ({ jsonrpc: '2.0', id, method: 'm' });
    side.deliver([ask(1), { jsonrpc: '2.0', method: 'n' }, ask(2)]);
    expect(received).toEqual([1]);
    expect(side.frames).toEqual([]);
  });
});

test('after the other side closed its output, pending and new requests fail; responses and notifications are still sent', async () => {
  const { peer, clock, abandoned, ask, sent } = open();
  ask(7);
  const waiting = peer.request('a', {}, { timeoutMs: 5 });
  peer.inputEnded();
  await expect(waiting).rejects.toMatchObject({ code: 'connection-closed' });
  await expect(peer.request('b')).rejects.toMatchObject({ code: 'connection-closed', details: { sent: false } });
  peer.answer(7, {});
  peer.notify('n');
  expect(sent().slice(1)).toMatchObject([{ id: 7, result: {} }, { method: 'n' }]);
  expect(abandoned).toHaveLength(1);
  expect(clock.pending).toBe(0);
  peer.close();
  peer.inputEnded();
  expect(() => peer.notify('n')).toThrow(expect.objectContaining({ code: 'connection-closed' }));
});

describe('requests of the other side', () => {
  test('each is answered exactly once, with its id as it came [e-base-07, s-base-07, s-base-10]', () => {
    const { peer, ask, sent, requests } = open();
    for (const id of [0, '', '0', 7]) ask(id);
    expect(requests.map(({ id }) => id)).toEqual([0, '', '0', 7]);
    for (const id of [7, '0', '']) peer.answer(id, { to: id });
    peer.refuse(0, { code: -1, message: 'no' });
    for (const id of [0, '', '0', 7]) {
      peer.answer(id, 'again');
      peer.refuse(id, { code: 1, message: 'again' });
    }
    expect(sent()).toEqual([
      { jsonrpc: '2.0', id: 7, result: { to: 7 } },
      { jsonrpc: '2.0', id: '0', result: { to: '0' } },
      { jsonrpc: '2.0', id: '', result: { to: '' } },
      { jsonrpc: '2.0', id: 0, error: { code: -1, message: 'no' } },
    ]);
  });

  test('an id in use is dropped and counted, and the first request still gets its answer', () => {
    const { peer, ask, sent, requests, warnings } = open();
    ask(1, 'first');
    ask(1, 'second');
    expect(requests.map(({ method }) => method)).toEqual(['first']);
    expect(warnings).toMatchObject([{ code: 'invalid-message' }]);
    expect(peer.counts.invalid).toBe(1);
    peer.answer(1, 'first');
    expect(sent()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'first' }]);
  });

  test('more than the limit are refused at once and by name, and the others go on', () => {
    const { peer, ask, sent, requests, warnings } = open({ maxInFlight: 2 });
    for (const id of [1, 2, 3]) ask(id);
    expect(requests).toHaveLength(2);
    expect(sent()).toMatchObject([{ id: 3, error: { code: -32603 } }]);
    expect(warnings).toMatchObject([{ code: 'queue-full' }]);
    peer.answer(1, {});
    ask(4);
    expect(requests).toHaveLength(3);
  });

  test('a forgotten request gets no answer and its id is free again', () => {
    const { peer, ask, frames, requests } = open();
    ask(1);
    peer.forget(1);
    peer.answer(1, {});
    ask(1);
    expect(requests).toHaveLength(2);
    expect(frames).toEqual([]);
  });

  test.each([
    ['a bigint', { n: 1n }],
    ['nothing', undefined],
    ['a function', () => {}],
  ])('an answer of %s becomes an internal error, and the owner gets the reason', (_, result) => {
    const { peer, ask, sent, warnings } = open();
    ask(1);
    peer.answer(1, result);
    peer.answer(1, {});
    expect(sent()).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    expect(warnings).toMatchObject([{ code: 'invalid-outgoing-message' }]);
  });

  test('an answer that cannot be sent is reported as a warning and not thrown at its author', () => {
    const full = new TenonError('queue-full', 'full');
    const fail = (error: unknown) => () => {
      throw error;
    };
    const { peer, ask, warnings } = open({}, { send: fail(full) });
    ask(1);
    expect(() => peer.answer(1, {})).not.toThrow();
    const other = open({}, { send: fail('broken') });
    other.ask(1);
    other.peer.refuse(1, { code: 1, message: 'no' });
    expect(warnings).toEqual([full]);
    expect(other.warnings).toMatchObject([{ code: 'invalid-outgoing-message', cause: 'broken' }]);
  });

  test('an owner that throws over a request owes its answer all the same', () => {
    const cause = new RangeError('a secret');
    const { ask, sent, warnings } = open(
      {},
      {
        request: () => {
          throw cause;
        },
      },
    );
    ask(1);
    ask(1);
    expect(sent()).toEqual(
      [1, 1].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } })),
    );
    expect(warnings).toMatchObject([{ code: 'callback-failed', cause }, { code: 'callback-failed' }]);
  });
});

describe('what is neither request nor answer', () => {
  test('notifications carry no id and are never answered [e-base-30, e-base-31, s-base-14, s-base-15]', () => {
    const { peer, deliver, sent, notifications } = open();
    deliver({ jsonrpc: '2.0', method: 'n', params: [1] });
    expect(notifications).toEqual([{ jsonrpc: '2.0', method: 'n', params: [1] }]);
    peer.notify('a');
    peer.notify('b', { x: 1 });
    expect(sent()).toEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: { x: 1 } },
    ]);
  });

  test('an error with a null id or none is about the connection: the owner gets it as parse-error, requests continue [S26]', async () => {
    const { peer, deliver, answer, warnings } = open();
    const result = peer.request('a');
    deliver({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    deliver({ jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' } });
    expect(warnings).toMatchObject([
      { name: 'TenonError', code: 'parse-error', cause: { name: 'RpcError', code: -32700 } },
      { code: 'parse-error', details: { code: -32600 } },
    ]);
    answer(1, 'fine');
    expect(await result).toBe('fine');
    expect(peer.counts).toEqual({ late: 0, unknown: 2, invalid: 0 });
  });

  test('what is invalid is reported, counted and dropped, answered where it was no answer itself, and the rest is processed [S26]', async () => {
    const { peer, deliver, answer, sent, warnings } = open();
    const result = peer.request('a');
    peer.receive('{');
    deliver({ jsonrpc: '1.0', id: 5, method: 'm' });
    deliver({ jsonrpc: '2.0', id: 2, result: 1, error: {} });
    deliver({ jsonrpc: '2.0', method: 'n', params: 'p' });
    expect(warnings.map(({ code }) => code)).toEqual([
      'invalid-json',
      'invalid-message',
      'invalid-message',
      'invalid-message',
    ]);
    expect(peer.counts.invalid).toBe(4);
    expect(sent().slice(1)).toMatchObject([{ error: { code: -32700 } }, { id: 5, error: { code: -32600 } }]);
    answer(1, 'fine');
    expect(await result).toBe('fine');
  });

  test('two peers that send each other nonsense fall silent', () => {
    const queue: Array<() => void> = [];
    const left = open({}, { send: (frame) => queue.push(() => right.peer.receive(frame)) });
    const right = open({}, { send: (frame) => queue.push(() => left.peer.receive(frame)) });
    for (const text of ['{', '7', '[]', '[[]]', '{}', '{"jsonrpc":"2.0","id":null,"error":null}', '{"error":{}}']) {
      left.peer.receive(text);
      right.peer.receive(text);
    }
    let steps = 0;
    for (let next = queue.shift(); next !== undefined && steps < 1000; next = queue.shift()) {
      next();
      steps += 1;
    }
    expect(steps).toBeLessThan(50);
  });
});

describe('batches', () => {
  const one = (id: RequestId) => ({ jsonrpc: '2.0', id, method: 'm' });
  const notice = { jsonrpc: '2.0', method: 'n' };
  const batched = { batches: () => true };

  test('its requests are answered together, its notifications and answers are received', async () => {
    const { peer, deliver, frames, sent, notifications } = open(batched);
    const result = peer.request('a');
    frames.length = 0;
    deliver([one(1), notice, { jsonrpc: '2.0', id: 1, result: 'mine' }, one('b')]);
    expect(notifications).toHaveLength(1);
    expect(await result).toBe('mine');
    peer.answer('b', {});
    expect(frames).toEqual([]);
    peer.refuse(1, { code: 1, message: 'no' });
    expect(sent()).toMatchObject([
      [
        { id: 'b', result: {} },
        { id: 1, error: { code: 1 } },
      ],
    ]);
  });

  test('with notifications only it is answered by nothing', () => {
    const { deliver, frames, notifications } = open(batched);
    deliver([notice, notice]);
    expect(notifications).toHaveLength(2);
    expect(frames).toEqual([]);
  });

  test('invalid messages in it are replied to among the answers', () => {
    const { peer, deliver, sent } = open(batched);
    deliver([one(1), 7, { jsonrpc: '2.0', id: 2, method: 3 }, { jsonrpc: '2.0', id: 3, result: 1, error: 2 }]);
    peer.answer(1, {});
    expect(sent()).toMatchObject([[{ error: { code: -32600 } }, { id: 2, error: { code: -32600 } }, { id: 1 }]]);
    expect(peer.counts.invalid).toBe(3);
  });

  test('a request forgotten is not waited for', () => {
    const { peer, deliver, sent } = open(batched);
    deliver([one(1), one(2)]);
    peer.answer(2, {});
    peer.forget(1);
    expect(sent()).toEqual([[{ jsonrpc: '2.0', id: 2, result: {} }]]);
  });

  test('an id doubled in it is answered once', () => {
    const { peer, deliver, sent } = open(batched);
    deliver([one(1), one(1)]);
    peer.answer(1, {});
    expect(sent()).toEqual([[{ jsonrpc: '2.0', id: 1, result: {} }]]);
  });

  test('an owner that throws for one message still gets the others', () => {
    const side = open(batched, {
      request: ({ id }) => {
        if (id === 1) throw new Error('broken');
        side.peer.answer(id, {});
      },
      notification: () => {
        throw new Error('broken too');
      },
    });
    side.deliver([one(1), notice, one(2)]);
    expect(side.sent()).toMatchObject([
      [
        { id: 1, error: { code: -32603 } },
        { id: 2, result: {} },
      ],
    ]);
    expect(side.warnings.map(({ code }) => code)).toEqual(['callback-failed', 'callback-failed']);
  });

  test('it is refused whole where there are none, with one error that has no id', () => {
    const { peer, deliver, sent, requests, warnings } = open();
    deliver([one(1), notice]);
    expect(requests).toEqual([]);
    expect(sent()).toEqual([{ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } }]);
    expect(warnings).toMatchObject([{ code: 'invalid-message' }]);
    expect(peer.counts.invalid).toBe(1);
  });
});

test('_meta.authorization reaches the owner beside the message only [S36]', () => {
  const received: unknown[] = [];
  const side = open(
    {},
    {
      request: (message, _batch, authorization) => void received.push([message, authorization]),
      notification: (message, authorization) => void received.push([message, authorization]),
    },
  );
  const _meta = { authorization: 'Bearer token123' };
  side.deliver({ jsonrpc: '2.0', id: 1, method: 'm', _meta });
  side.deliver({ jsonrpc: '2.0', method: 'n', _meta });
  side.deliver({ jsonrpc: '2.0', method: 'n' });
  expect(received).toEqual([
    [{ jsonrpc: '2.0', id: 1, method: 'm', _meta: {} }, 'Bearer token123'],
    [{ jsonrpc: '2.0', method: 'n', _meta: {} }, 'Bearer token123'],
    [{ jsonrpc: '2.0', method: 'n' }, undefined],
  ]);
});
