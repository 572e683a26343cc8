/** Answers within the limits reach a client that reads, however many at once and however slowly; losses are reported. */

import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { call, endAll, type RawProcess, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(endAll);

/** Counts the lines of the output without storing them. */
function countLines(server: RawProcess): { lines: number } {
  const count = { lines: 0 };
  server.child.stdout.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count.lines++;
  });
  return count;
}

describe('a client that reads', () => {
  it('gets eight answers of 10 MB sent at once', async () => {
    const server = startRaw(file, { unread: true });
    const count = countLines(server);
    for (let id = 0; id < 8; id++) server.send(call(id, 'big', { size: 10_000_000 }));
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(count.lines).toBe(8);
  });

  it('gets a thousand answers of 100 kB sent in one turn of the event loop', async () => {
    const server = startRaw(file, { unread: true });
    const count = countLines(server);
    for (let id = 0; id < 1000; id++) server.send(call(id, 'together', { size: 1000 }));
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(count.lines).toBe(1000);
  });
});

/** Reads the rest of an output in small pieces, each in a later turn of the event loop: the pipe is full most of the time. */
async function readInPieces(server: RawProcess, size: number): Promise<number> {
  const { stdout } = server.child;
  let total = 0;
  // Without a listener Node discards the output once the process has exited.
  stdout.on('readable', () => {});
  while (!stdout.readableEnded) {
    let piece: Buffer | null;
    for (let left = size; left > 0 && (piece = stdout.read()) !== null; left -= piece.length) total += piece.length;
    await turn();
  }
  return total;
}

describe('after the end of input', () => {
  // That the server waits as long as bytes are read is shown with a fake clock in pipe-transport.test.ts.
  it('a client that reads in small pieces gets every answer', async () => {
    const server = startRaw(file, { unread: true, env: { GRACE_MS: '60000' } });
    server.send(call(1, 'big', { size: 3_000_000 }), call(2, 'big', { size: 3_000_000 }));
    server.child.stdin.end();
    const read = await withTimeout(readInPieces(server, 50_000), 'all answers', 60_000);
    expect(read).toBeGreaterThan(6_000_000);
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('a client that has stopped reading does not hold the server, which reports the lost answers', async () => {
    const server = startRaw(file, { unread: true, env: { GRACE_MS: '100' } });
    server.send(call(1, 'big', { size: 3_000_000 }));
    await server.wrote('serving');
    server.child.stdin.end();
    const [code] = await withTimeout(once(server.child, 'exit'), 'the exit of a server without a reader');
    expect(code).toBe(1);
    await server.wrote('did not read');
  });
});
