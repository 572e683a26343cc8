/** Messages that are cheap to send and dear to read: each is answered by name, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { type Json, openAt, refused, worded } from '../../kit/transport/raw-connection.ts';
import type { LargeMessageReport } from '../fixtures/large-message.ts';

const fixture = await bundledProgram('large-message', 'attacks');

/** Runs an attack with a heap of 512 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<LargeMessageReport> {
  const args = ['--max-old-space-size=512', fixture, name];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as LargeMessageReport;
}

/** With what a process takes to start, which is about 60. */
const mostMb = 450;

describe('a server', () => {
  it.each([
    'two million wrong items for zod',
    'two million wrong items for JSON Schema',
    '1,300,000 wrong objects for zod',
    'a million keys',
  ])('refuses %s before it parses them [S24]', async (name) => {
    const { status, body, peakMb } = await attacked(name);
    expect([status, JSON.parse(body)]).toMatchObject([
      400,
      { id: 1, error: { code: -32600, message: 'A message has more than 100000 values.' } },
    ]);
    expect(peakMb).toBeLessThan(mostMb);
  });

  it.each([
    'as many wrong items as are allowed for zod',
    'as many wrong objects as are allowed for zod',
    'empty objects for 20 fields',
    'empty objects for two alternatives of 20 fields',
    'as many wrong items as are allowed for JSON Schema',
  ])('answers %s with a few of the issues [S24]', async (name) => {
    const { status, body, peakMb } = await attacked(name);
    expect([status, JSON.parse(body)]).toMatchObject([200, { id: 1, result: { isError: true } }]);
    expect(body.length).toBeLessThan(2000);
    expect(body.match(/list\[/g)?.length).toBeLessThanOrEqual(8);
    expect(peakMb).toBeLessThan(mostMb);
  });

  it('runs a tool that converts as many items as are allowed, if it is declared so [S24]', async () => {
    const { status, body } = await attacked('as many converted items as are allowed');
    expect([status, JSON.parse(body)]).toMatchObject([200, { result: { content: [{ text: 'ran 99900' }] } }]);
  });

  it.each(['brackets that never close', 'brackets that close', 'objects in objects'])(
    'refuses %s before it parses them [S24]',
    async (name) => {
      const { status, body, peakMb } = await attacked(name);
      expect([status, JSON.parse(body)]).toMatchObject([
        400,
        { error: { code: -32600, message: 'A message is nested deeper than 128 levels. Flatten it.' } },
      ]);
      expect(peakMb).toBeLessThan(mostMb);
    },
  );
});

describe.each(protocolVersions)('a server at %s', (revision) => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      work: tool({}, (_given, { reportProgress }) => {
        for (let n = 1; n <= 100; n++) reportProgress(n);
        return 'done';
      }),
    },
  });
  const long = 'x'.repeat(1_000_000);

  it('does not repeat a progress token of a million characters in every report [S24]', async () => {
    const { ask, send, settled } = await openAt(server, revision);
    const call = ask(1, 'tools/call', { name: 'work' });
    const params = call.params as Json;
    send({ ...call, params: { ...params, _meta: { ...(params._meta as Json), progressToken: long } } });
    expect(await settled()).toEqual([refused(-32602, 1, 'params._meta.progressToken has more than 1000 characters')]);
  });

  it('does not answer under an ID of a million characters [S24]', async () => {
    const { ask, send, settled } = await openAt(server, revision);
    send(ask(long, 'tools/call', { name: 'work' }));
    const text = 'Invalid message: id has more than 1000 characters.';
    expect(await settled()).toEqual([worded(refused(-32600, undefined, text), revision)]);
  });
});

describe('our JSON Schema validator', () => {
  it.each(['a pattern with counted repetitions', 'alternatives in a counted repetition'])(
    'does not run %s on a long text [S24]',
    async (name) => {
      const { body } = await attacked(name);
      expect(JSON.parse(body)).toEqual({ issues: [{ path: [], message: 'takes too much work to check' }] });
    },
  );
});

describe('a client', () => {
  const answering = (text: string): string => rawServerScript(`print(${text})`);

  it.each([
    ['too-many-values', `'{"jsonrpc":"2.0","result":{"content":[' + '1,'.repeat(2e6) + '1]},"id":' + message.id + '}'`],
    [
      'nesting-too-deep',
      `'{"jsonrpc":"2.0","id":' + message.id + ',"result":' + '['.repeat(1e6) + ']'.repeat(1e6) + '}'`,
    ],
  ])('fails a call with %s if the result is over the limit, and stays connected [S24]', async (code, text) => {
    await using client = await connect(program(answering(text)));
    for (let call = 0; call < 2; call++)
      await expect(client.tools.call('x')).rejects.toMatchObject({ cause: { code } });
  });
});
