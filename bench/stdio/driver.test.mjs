/** The driver counts right answers in any order and any chunks, and stops at a wrong one. */
import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createDriver } from './driver.mjs';

const requests = Array.from({ length: 8 }, (_, n) => ({ bytes: Buffer.from(`${n + 1}\n`), text: `text ${n}` }));
const answer = (id, text) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n`;

/** A server in this process: `reply` returns the chunks that answer the requested ids. */
function scripted(reply) {
  let receive;
  return {
    pid: process.pid,
    lost: new Promise(() => {}),
    listen: (listener) => (receive = listener),
    write(bytes) {
      const ids = bytes.toString().trim().split('\n').map(Number);
      setImmediate(() => {
        for (const chunk of reply(ids)) receive(Buffer.from(chunk));
      });
    },
  };
}

const right = (ids) => ids.map((id) => answer(id, `text ${id - 1}`)).join('');

test('every call is answered once, and none is pending when a slice ends', async () => {
  const requested = [];
  const slice = createDriver(
    scripted((ids) => {
      requested.push(...ids);
      return [right(ids)];
    }),
    requests,
    4,
  );
  const { count, p90Ms } = await slice(5);
  equal(count, requested.length);
  ok(count >= 4 && p90Ms >= 0);
});

test('answers may arrive in any order and in any chunks', async () => {
  const cut = (ids) => {
    const text = right(ids.toReversed());
    return [text.slice(0, 7), text.slice(7, -1), text.slice(-1)];
  };
  const { count } = await createDriver(scripted(cut), requests, 4)(5);
  ok(count >= 4);
});

for (const [what, reply] of [
  ['another text', (ids) => [answer(ids[0], 'other')]],
  ['an unknown id', () => [answer(99, 'text 0')]],
  ['an error', (ids) => [`{"jsonrpc":"2.0","id":${ids[0]},"error":{"code":-32603,"message":"no"}}\n`]],
  ['an answer twice', (ids) => [right([ids[0], ids[0]])]],
]) {
  test(`${what} stops the run`, async () => {
    await rejects(createDriver(scripted(reply), requests, 2)(5), /wrong answer/);
  });
}
