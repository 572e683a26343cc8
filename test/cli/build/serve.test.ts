/** `tenon serve` serves a file over HTTP and on standard streams, until it is interrupted. */
import { fileURLToPath } from 'node:url';
import { connect, toText } from 'tenon';
import { expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { program } from '../program.ts';
import { typed } from '../terminal.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

it('serve --http serves the default export of a file until Ctrl+C [S31]', async () => {
  const interrupt = new AbortController();
  const lines: string[] = [];
  const ready = deferred<string>();
  const ended = typed('tenon serve plain-server.js --http 0 --json', {
    signal: interrupt.signal,
    out(text) {
      lines.push(text);
      ready.resolve(JSON.parse(text).result.url);
    },
  });
  const client = await connect(await ready.promise);
  expect(toText(await client.tools.call('hello'))).toBe('Hello');
  await client.close();
  interrupt.abort();
  expect((await ended).code).toBe(0);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ command: 'serve', ok: true, result: { closed: true } });
});

it('serve serves a file of TypeScript on standard streams [S31]', async () => {
  const client = await connect({ ...program('serve', fixture('server.ts')), stderr: 'inherit' });
  expect(toText(await client.tools.call('add', { a: 1, b: 2 }))).toBe('3');
  await client.close();
});

it.each([
  ['no file', 'serve', /FILE is missing/],
  ['a file that is not there', 'serve ./nothing.ts', /There is no file .*nothing\.ts/],
  ['a port that is none', 'serve plain-server.js --http many', /--http cannot be "many"/],
  ['a port that is too large', 'serve plain-server.js --http 65536', /Write a port, such as 3000, or 0/],
  ['--json on standard streams', 'serve plain-server.js --json', /add --http PORT/],
  [
    'a file that has no server',
    'serve no-server.js --http 0',
    /no-server\.js has no server: it exports none, and serves none/,
  ],
  ['a store that is none', 'serve plain-server.js --http 0 --store nowhere', /nowhere/],
])('serve with %s says what to do', async (_, line, message) => {
  const { code, out, err } = await typed(`tenon ${line}`);
  expect(`${out}${err}`).toMatch(message);
  expect(code).toBe(2);
});
