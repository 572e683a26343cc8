/** A server process against hostile input: thousands of hostile lines, endless lines, and a client that does not read. */

import { EventEmitter, once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inWords, scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { createHostileLines, createRandom, cutAnywhere } from '../../kit/process/hostile-lines.ts';
import {
  call,
  eachLine,
  endAll,
  handshake,
  type Json,
  type RawProcess,
  resultText,
  startRaw,
} from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(endAll);

const inSession = (id: unknown, name: string, args: Json): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const words = {
  messages: [
    (n: number) => call(`bad-${n}`, 'echo', { text: 'grüße ☃' }),
    (n: number) => inSession(`bad-${n % 7}`, 'echo', { text: '🎉' }),
    (n: number) => inSession(n, 'no such tool', {}),
    (n: number) => ({ jsonrpc: '2.0', id: `bad-${n}`, method: 'tools/list', params: { cursor: 'x' } }),
    () => ({ ...handshake(), id: 'bad-hello' }),
    () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    () => ({ jsonrpc: '2.0', id: 'bad-level', method: 'logging/setLevel', params: { level: 'debug' } }),
    (n: number) => ({ jsonrpc: '2.0', id: `bad-${n}`, method: 'subscriptions/listen', params: { notifications: {} } }),
  ],
  // Valid requests are cancelled too, too early or too late, since they are answered at once.
  ids: (n: number) => [n, `bad-${n}`, `ok-${n}`, `ok-${n % 100}`, null, -1, 1.5, {}, 'stuck-1'][n % 9],
};

/** Writes and waits for 'drain', so that nothing queues up in this process. */
async function write(server: RawProcess, bytes: Buffer): Promise<void> {
  if (!server.child.stdin.write(bytes)) await once(server.child.stdin, 'drain');
}

interface Answers {
  readonly answers: ReadonlyMap<string, readonly Json[]>;
  /** Resolves as soon as the request is answered. */
  arrived(id: string): Promise<unknown>;
}

/** Collects the answers to the valid requests, alone or in a batch. */
function collectAnswers(server: RawProcess): Answers {
  const answers = new Map<string, Json[]>();
  const arrivals = new EventEmitter();
  const collect = (message: Json): void => {
    if (typeof message.id !== 'string' || !message.id.startsWith('ok-')) return;
    answers.set(message.id, [...(answers.get(message.id) ?? []), message]);
    arrivals.emit(message.id);
  };
  eachLine(server.child.stdout, (line) => {
    const received = JSON.parse(line) as Json | Json[];
    for (const message of Array.isArray(received) ? received : [received]) collect(message);
  });
  return { answers, arrived: async (id) => answers.has(id) || once(arrivals, id) };
}

/** A valid request in each form: stateless, in a session, in a batch with invalid ones. */
function validRequest(n: number): string {
  const args = { text: `text ${n} ☃` };
  if (n % 3 === 0) return JSON.stringify(call(`ok-${n}`, 'echo', args));
  if (n % 3 === 1) return JSON.stringify(inSession(`ok-${n}`, 'echo', args));
  return JSON.stringify([{ jsonrpc: '2.0' }, inSession(`ok-${n}`, 'echo', args), null]);
}

/** A call that never ends, its id used twice, then cancelled. */
const stuck = ['stuck-1', 'stuck-1'].map((id) => inSession(id, 'stuck', {}));
const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'stuck-1' } };

/** Hostile lines, with a valid request after every 50 of them, and a call that never ends after every 500. */
function salvo(from: number, lines: number, hostile: () => Buffer): Buffer {
  const newline = Buffer.from('\n');
  const parts: Buffer[] = [];
  for (let n = from; n < from + lines; n++) {
    parts.push(hostile(), newline);
    if (n % 50 === 0) parts.push(Buffer.from(`${validRequest(n)}\n`));
    if (n % 500 === 0)
      parts.push(Buffer.from(`${[...stuck, cancel].map((each) => JSON.stringify(each)).join('\n')}\n`));
  }
  return Buffer.concat(parts);
}

describe('a server under attack', () => {
  const total = scaled(10_000, 100_000);

  it(`survives ${inWords(total)} hostile lines, answers each valid request once, and leaks no memory`, async () => {
    const server = startRaw(file, { nodeArgs: ['--expose-gc', '--no-flush-bytecode'], unread: true });
    const { answers, arrived } = collectAnswers(server);
    const hostile = createHostileLines(7, words);
    const random = createRandom(11);
    await write(server, Buffer.from(`${JSON.stringify(handshake('2025-03-26'))}\n`));
    const heaps: number[] = [];
    for (let from = 0; from < total; from += total / 20) {
      for (const piece of cutAnywhere(salvo(from, total / 20, hostile), random)) await write(server, piece);
      // Output that waits to be written is not a leak, so the first call waits until it is written.
      for (const id of [`ok-quiet-${from}`, `ok-heap-${from}`]) {
        await write(server, Buffer.from(`${JSON.stringify(call(id, 'heap'))}\n`));
        await withTimeout(arrived(id), id, 60_000);
      }
      heaps.push(Number(resultText(answers.get(`ok-heap-${from}`)?.[0] ?? {})));
    }
    const after = heaps.at(-1) as number;
    // Until then the heap grows by compiled code.
    const first = heaps[Math.ceil(10_000 / (total / 20)) - 1] as number;
    console.log(`Heap after 10,000 lines ${Math.round(first / 1024)} kB, at the end ${Math.round(after / 1024)} kB.`);
    for (let n = 0; n < total; n += 50) {
      const received = answers.get(`ok-${n}`) ?? [];
      expect(received.map(resultText), `ok-${n}`).toEqual([`text ${n} ☃`]);
    }
    expect(after).toBeLessThan(first * 1.1);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});

describe('an endless line', () => {
  it('of 200 MB stops the server with an error and little memory [S19]', async () => {
    const server = startRaw(file, { env: { PEAK: 'yes' } });
    await server.wrote('serving');
    const exited = server.ended.then(() => 'exited' as const);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    for (; written < 200; written++) {
      const room = server.child.stdin.write(piece) ? undefined : once(server.child.stdin, 'drain').catch(() => exited);
      if ((await Promise.race([exited, room])) === 'exited') break;
    }
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(written).toBeLessThan(200);
    expect(server.stderr()).toContain('A line has more than 16777216 characters');
    const peak = Number(/peak (\d+) kB/.exec(server.stderr())?.[1]);
    console.log(`The server needed ${Math.round(peak / 1024)} MB at most.`);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(150 * 1024);
  });
});

describe('a client that does not read', () => {
  it('gets backpressure, and every answer once it reads again', async () => {
    const server = startRaw(file, { unread: true, env: { VERBOSE: 'yes' } });
    const count = 1000;
    const text = 'y'.repeat(100_000);
    for (let id = 0; id < count; id++) server.send(call(id, 'echo', { text }));
    await server.wrote('input paused');
    // The server has stopped reading: at most a tenth is in the server and in the pipes.
    expect(server.child.stdin.writableLength).toBeGreaterThan(90_000_000);
    const ids: unknown[] = [];
    eachLine(server.child.stdout, (line) => ids.push((JSON.parse(line) as Json).id));
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(ids).toEqual(Array.from({ length: count }, (_, id) => id));
  });

  it('is disconnected with an error if one running call fills the queue', async () => {
    const server = startRaw(file, { unread: true, env: { PEAK: 'yes' } });
    server.send(handshake('2025-11-25'), { jsonrpc: '2.0', method: 'notifications/initialized' });
    server.send(inSession(1, 'flood', {}));
    await withTimeout(once(server.child, 'exit'), 'the server to exit');
    server.child.stdout.resume();
    expect(await server.ended).toEqual({ code: 1, signal: null });
    // On a busy machine the queue may take longer to fill than a client may read nothing.
    expect(server.stderr()).toMatch(/characters wait to be written, (?:over the limit|and none was read)/);
    expect(Number(/peak (\d+) kB/.exec(server.stderr())?.[1])).toBeLessThan(600 * 1024);
  });
});
