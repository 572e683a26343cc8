import { describe, expect, test } from 'vitest';
import { recordingPeer as open } from '../../test/kit/transport/recording-peer.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Peer } from './peer.ts';

const deep = '['.repeat(200) + ']'.repeat(200);

describe('an answer that cannot be read ends the wait for it at once', () => {
  test.each([
    ['is too deep', `{"jsonrpc":"2.0","id":1,"result":${deep}}`, 'nesting-too-deep'],
    ['has an unsafe key', '{"jsonrpc":"2.0","id":1,"result":{"__proto__":1}}', 'unsafe-key'],
    ['has an error that is too deep', errorWith(deep), 'nesting-too-deep'],
    ['has both a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 'invalid-message'],
    ['has an error that is text', '{"jsonrpc":"2.0","id":1,"error":"failed"}', 'invalid-message'],
    ['has an error without a code', '{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}', 'invalid-message'],
    ['is of the wrong version', '{"jsonrpc":"1.0","id":1,"result":{}}', 'invalid-message'],
    ['has a method too', '{"jsonrpc":"2.0","id":1,"method":"a","result":{}}', 'invalid-message'],
    ['lost its result', '{"jsonrpc":"2.0","id":1}', 'invalid-message'],
    ['has its id as text', '{"jsonrpc":"2.0","id":"1","error":null}', 'invalid-message'],
    ['came in a batch, where there are none', '[{"jsonrpc":"2.0","id":1,"result":{}}]', 'invalid-message'],
  ])('one that %s', async (_, frame, reason) => {
    const { peer, clock, warnings, abandoned } = open();
    const waiting = peer.request('tools/call', {}, { timeoutMs: 1000 });
    peer.receive(frame);
    const details = { method: 'tools/call', reason };
    await expect(waiting).rejects.toMatchObject({ code: 'invalid-result', details, cause: { code: reason } });
    expect(warnings).toMatchObject([{ code: reason }]);
    expect(peer.counts).toEqual({ late: 0, unknown: 0, invalid: 1 });
    expect(clock.pending).toBe(0);
    expect(abandoned).toEqual([]);
  });

  test('in strict mode also one that names a key twice', async () => {
    const { peer } = open({ strict: true });
    const waiting = peer.request('a');
    peer.receive('{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}');
    await expect(waiting).rejects.toMatchObject({ code: 'invalid-result', cause: { code: 'duplicate-key' } });
  });

  test('in a batch that is too long all of them', async () => {
    const { peer, deliver } = open({ batches: () => true, limits: { maxBatch: 2 } });
    const waiting = ['a', 'b'].map((method) => peer.request(method));
    deliver([answerTo(1), answerTo(2), { jsonrpc: '2.0', method: 'n' }]);
    for (const each of waiting) {
      await expect(each).rejects.toMatchObject({ code: 'invalid-result', cause: { code: 'batch-too-long' } });
    }
  });

  test('it gets no answer, while the same without a waiting request is an invalid request', () => {
    const { peer, deliver, sent } = open();
    peer.request('a').catch(() => {});
    deliver({ jsonrpc: '2.0', id: 1 });
    expect(sent()).toHaveLength(1);
    deliver({ jsonrpc: '2.0', id: 1 });
    expect(sent().slice(1)).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });
});

describe('what is no answer ends no wait', () => {
  test.each([
    ['a request of the same id with an unsafe key', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":1}}'],
    ['an error without an id', '{"jsonrpc":"2.0","error":"failed"}'],
    ['an answer to another request', '{"jsonrpc":"2.0","id":2,"result":{},"error":{}}'],
    ['a frame too large to be read', `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(300)}"}`],
  ])('%s', async (_, frame) => {
    const { peer, answer } = open({ limits: { maxMessageChars: 200 } });
    const waiting = peer.request('a');
    peer.receive(frame);
    expect(peer.counts).toEqual({ late: 0, unknown: 0, invalid: 1 });
    answer(1, 'fine');
    expect(await waiting).toBe('fine');
  });
});

describe('what is over the limits does not leave', () => {
  const tooMuch: [string, unknown][] = [
    ['too long', { text: 'x'.repeat(500) }],
    ['too deep', JSON.parse(deep)],
    ['with an unsafe key', JSON.parse('{"a":[{"__proto__":1}]}')],
  ];
  const limits = { maxMessageChars: 450, maxDepth: 20 };

  test.each(tooMuch)('a request %s fails here', async (_, params) => {
    const { peer, frames, clock } = open({ limits });
    await expect(peer.request('a', params, { timeoutMs: 5 })).rejects.toMatchObject({
      code: 'invalid-outgoing-message',
    });
    expect(() => peer.notify('n', params)).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
    expect(frames).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('a request too long fails by the name of the limit, with what to do', async () => {
    const { peer } = open({ limits });
    await expect(peer.request('a', tooMuch[0]?.[1])).rejects.toMatchObject({
      code: 'invalid-outgoing-message',
      hint: expect.stringContaining('limits.maxMessageChars'),
      details: { characters: expect.any(Number), maxMessageChars: 450 },
    });
  });

  test.each([
    ['a result', (peer: Peer) => peer.answer(7, { text: 'secret'.repeat(100) })],
    ['an error', (peer: Peer) => peer.refuse(7, { code: 1, message: 'm', data: 'secret'.repeat(100) })],
  ])(
    '%s too long is answered by an error that says so, and reported once, with the limit to raise [S34]',
    (_, answer) => {
      const { peer, ask, sent, warnings } = open({ limits });
      ask(7);
      answer(peer);
      const error = { code: -32603, message: 'The response is larger than the limit of a message' };
      expect(sent()).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
      const hint = expect.stringContaining('limits.maxMessageChars');
      expect(warnings).toMatchObject([{ code: 'invalid-outgoing-message', hint, details: { maxMessageChars: 450 } }]);
    },
  );

  test('an answer too long in a batch leaves the others as they are', () => {
    const { peer, deliver, sent, warnings } = open({ limits, batches: () => true });
    deliver([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'm' })));
    peer.answer(1, { text: 'x'.repeat(500) });
    peer.answer(2, 'fine');
    const error = expect.objectContaining({ code: -32603 });
    expect(sent()).toEqual([
      [
        { jsonrpc: '2.0', id: 1, error },
        { jsonrpc: '2.0', id: 2, result: 'fine' },
      ],
    ]);
    expect(warnings).toHaveLength(1);
  });

  test.each(tooMuch.slice(1))(
    'an answer %s becomes an internal error, and the owner gets the reason [S34]',
    (_, result) => {
      const { peer, ask, sent, warnings } = open({ limits });
      ask(7);
      peer.answer(7, result);
      expect(sent()).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal error' } }]);
      expect(warnings).toMatchObject([{ code: 'invalid-outgoing-message' }]);
    },
  );

  test('an id as long as a frame still gets its error', () => {
    const { peer, frames } = open();
    peer.receive(`{"jsonrpc":"1.0","id":"${'x'.repeat(4_194_200)}","method":"m"}`);
    expect(frames).toHaveLength(1);
  });
});

test('a batch where there are none is shown, and not all of it where it is long', () => {
  const { peer, warnings } = open();
  peer.receive('[{"jsonrpc":"2.0","method":"n"}]');
  peer.receive(`[{"jsonrpc":"2.0","method":"${'n'.repeat(5000)}"}]`);
  const line = '[{"jsonrpc":"2.0","method":"n"}]';
  expect(warnings[0]).toMatchObject({ message: expect.stringContaining(line), details: { line } });
  const [, long] = warnings as unknown as TenonError[];
  expect(long?.message.length).toBeLessThan(300);
  expect(String(long?.details.line).length).toBeLessThan(300);
});

function errorWith(data: string): string {
  return `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${data}}}`;
}

function answerTo(id: number): object {
  return { jsonrpc: '2.0', id, result: {} };
}
