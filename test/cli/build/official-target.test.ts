/** The command line takes files whose default export creates a server, or is one of the official SDK. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connect, toText } from 'tenon';
import { expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { program } from '../program.ts';
import { typed } from '../terminal.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

it('tools lists the tools of a file whose default export is one server', async () => {
  const { code, out } = await typed('tenon tools official-instance.js --json');
  expect(JSON.parse(out)).toMatchObject({ ok: true, result: [{ name: 'hello' }] });
  expect(code).toBe(0);
  // It is connected once: a file is loaded once in a process.
  const again = await typed('tenon tools official-instance.js');
  expect(again).toMatchObject({ code: 2, err: expect.stringMatching(/a function that returns a new McpServer/) });
});

it('tools, call and its answers work with a file that exports a function', async () => {
  expect(JSON.parse((await typed('tenon tools official.js --json')).out)).toMatchObject({
    result: [{ name: 'greet' }],
  });
  const asked = await typed(`tenon call official.js greet name=Ada --answers ${fixture('official-answers.json')}`);
  expect(asked.out).toContain('HELLO Ada');
});

it('tools lists the tools of a file whose default export creates a Tenon server', async () => {
  expect(JSON.parse((await typed('tenon tools creating.js --json')).out)).toMatchObject({
    result: [{ name: 'hello' }],
  });
});

it('tools says what to do where such a function is exported under a name, or a program serves by itself', async () => {
  const named = await typed('tenon tools official-named.js');
  expect(named).toMatchObject({ code: 2, err: expect.stringContaining('add export { createMcpServer as default }') });
  const none = await typed('tenon tools no-server.js');
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('is a command: -- node no-server.js') });
});

it('serve --http serves a function that creates official servers', async () => {
  const interrupt = new AbortController();
  const ready = deferred<string>();
  const ended = typed('tenon serve official.js --http 0 --json', {
    signal: interrupt.signal,
    out: (text) => ready.resolve(JSON.parse(text).result?.url),
  });
  const handlers = { elicitForm: () => ({ action: 'accept', content: { loud: false } }) as const };
  const client = await connect(await ready.promise, { handlers });
  expect(toText(await client.tools.call('greet', { name: 'Ada' }))).toBe('Hello Ada');
  await client.close();
  interrupt.abort();
  expect((await ended).code).toBe(0);
});

it('serve serves an official server on standard streams', async () => {
  const client = await connect({ ...program('serve', fixture('official-instance.js')), stderr: 'inherit' });
  expect(toText(await client.tools.call('hello'))).toBe('Hello');
  await client.close();
});

it('serve --http refuses one official server for all clients, and says what to do', async () => {
  const { command, args } = program('serve', fixture('official-instance.js'), '--http', '0');
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(err).toMatch(/over HTTP each client needs one of its own.*fromOfficial\(\(\) =>/s);
  expect(code).toBe(2);
});
