/** The queue of lines: every line is complete and in order, and large ones are returned in pieces. */
import { describe, expect, it } from 'vitest';
import { createLineQueue, type LineQueue } from './line-queue.ts';

const kib = 1024;
const large = 200 * kib;

/** Everything in the queue as text, and the sizes of the pieces. */
function drain(queue: LineQueue): { text: string; sizes: number[] } {
  const pieces: (string | Uint8Array)[] = [];
  for (let piece = queue.next(); piece !== undefined; piece = queue.next()) pieces.push(piece);
  const bytes = pieces.map((piece) => Buffer.from(piece as string));
  return { text: Buffer.concat(bytes).toString('utf8'), sizes: bytes.map(({ length }) => length) };
}

function queueOf(...frames: readonly string[]): LineQueue {
  const queue = createLineQueue();
  for (const frame of frames) queue.add(frame);
  return queue;
}

describe('the line queue', () => {
  it.each([
    ['small', ['a', 'b', 'c']],
    ['large between small', ['a', 'b'.repeat(large), 'c', 'd'.repeat(large), 'e']],
    ['large, two bytes a character', ['ü'.repeat(large), 'a']],
    ['large, three bytes a character', ['€'.repeat(large), 'a']],
    ['large, four bytes a character', ['😀'.repeat(large), 'a']],
    ['large, its last character alone of two bytes', [`${'a'.repeat(large)}ü`, 'a']],
    ['large, its first character alone of three bytes', [`€${'a'.repeat(large)}`, 'a']],
    ['many that are together large', Array.from({ length: 3000 }, (_, n) => `${n}`.padEnd(kib, 'ü'))],
  ])('returns every line, complete and in order: %s', (_, frames) => {
    expect(drain(queueOf(...frames)).text).toBe(frames.map((frame) => `${frame}\n`).join(''));
  });

  it('returns a large line in pieces, so that each piece that is written shows that the other side reads', () => {
    const { sizes } = drain(queueOf('a'.repeat(large)));
    expect(sizes).toEqual([64 * kib, 64 * kib, 64 * kib, 8 * kib + 1]);
  });

  it('counts queued characters with their newlines, without the line that is being returned', () => {
    const queue = queueOf('abc', 'd'.repeat(large), 'ef');
    expect(queue.size).toBe(4 + large + 1 + 3);
    queue.next();
    expect(queue.size).toBe(large + 1 + 3);
    queue.next();
    expect(queue.size).toBe(3);
    drain(queue);
    expect(queue.size).toBe(0);
  });

  it('accepts lines while it is drained, and returns them last', () => {
    const queue = queueOf('a'.repeat(large));
    queue.next();
    queue.add('b');
    expect(drain(queue).text.endsWith('a\nb\n')).toBe(true);
  });

  it('drops everything on clear(), also the rest of a line that is being returned', () => {
    const queue = queueOf('a'.repeat(large), 'b');
    queue.next();
    queue.clear();
    expect([queue.size, queue.next()]).toEqual([0, undefined]);
  });
});
