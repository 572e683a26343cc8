/** The driver counts right answers in whatever order and pieces they come, and stops at a wrong one. */
import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createDriver } from './driver.mjs';

const requests = Array.from({ length: 8 }, (_, n) => ({ bytes: Buffer.from(`${n + 1}\n`), text: `text ${n}` }));
const answer = (id, text) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n`;

/** A server in this process: `reply` makes the bytes of an answer of the ids that were asked. */
function scripted(reply) {
  let hear;
  return {
    pid: process.pid,
    lost: new Promise(() => {}),
    listen: (listener) => (hear = listener),
    write(bytes) {
      const ids = bytes.toString().trim().split('\n').map(Number);
      setImmediate(() => {
        for (const chunk of reply(ids)) hear(Buffer.from(chunk));
      });
    },
  };
}

const right = (ids) => ids.map((id) => answer(id, `text ${id - 1}`)).join('');

test('every call is answered once, none is left when a slice ends', async () => {
  const asked = [];
  const slice = createDriver(
    scripted((ids) => {
      asked.push(...ids);
      return [right(ids)];
    }),
    requests,
    4,
  );
  const { count, p90Ms } = await slice(5);
  equal(count, asked.length);
  ok(count >= 4 && p90Ms >= 0);
});

test('answers may come in any order and cut anywhere', async () => {
  const cut = (ids) => {
    const text = right(ids.toReversed());
    return [text.slice(0, 7), text.slice(7, -1), text.slice(-1)];
  };
  const { count } = await createDriver(scripted(cut), requests, 4)(5);
  ok(count >= 4);
});

for (const [what, reply] of [
  ['another text', (ids) => [answer(ids[0], 'other')]],
  ['an id that nobody asked', () => [answer(99, 'text 0')]],
  ['an error', (ids) => [`{"jsonrpc":"2.0","id":${ids[0]},"error":{"code":-32603,"message":"no"}}\n`]],
  ['an answer twice', (ids) => [right([ids[0], ids[0]])]],
]) {
  test(`${what} stops the run`, async () => {
    await rejects(createDriver(scripted(reply), requests, 2)(5), /wrong answer/);
  });
}
