/** `tenon record` stands between any client and any server, and its captures replay without secrets. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as begin, createServer as createNodeServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as OfficialTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Client, connect, createServer, type ProtocolVersion, serveHttp, tool } from 'tenon';
import { callsInCapture, readCapture, replayServer } from 'tenon/capture';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Io } from '../../src/cli/io/io.ts';
import { secrets } from '../capture/samples.ts';
import { deferred } from '../kit/deferred.ts';
import { connectV1 } from '../kit/peers/official-clients.ts';
import { typed } from './terminal.ts';

const serverFile = new URL('./fixtures/reflecting.mjs', import.meta.url).pathname;
const command = [process.execPath, new URL('./fixtures/raw-server.mjs', import.meta.url).pathname];

const server = createServer(
  {
    name: 'reflecting',
    version: '1',
    tools: {
      reflect: tool({ inputSchema: z.looseObject({}), outputSchema: z.looseObject({}) }, (given) => given),
      ask: tool({}, async (_given, ctx) => {
        const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
      }),
    },
  },
  { secrets: ['a secret of at least thirty-two characters'] },
);

let folder = '';
let url = '';
let close: () => Promise<unknown>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-record-'));
  const service = await serveHttp(server, { port: 0 });
  url = service.url;
  close = () => service.close();
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

let files = 0;
const newFile = (): string => join(folder, `${++files}.mcp.ndjson`);

/** Runs `tenon record` for a client that has started it. */
async function onStdio(words: readonly string[], use: (transport: Transport) => Promise<void>): Promise<string> {
  const file = newFile();
  const [own, other] = createMemoryTransports();
  const ended = typed(['tenon', 'record', file, ...words], { openStdio: async () => own });
  await use(other);
  const { code, out, err } = await ended;
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain(`events to ${file}`);
  return readFileSync(file, 'utf8');
}

/** Runs `tenon record --listen`, and interrupts it. */
async function onHttp(words: readonly string[], use: (url: string) => Promise<void>): Promise<string> {
  const file = newFile();
  const interrupt = new AbortController();
  const ready = deferred<string>();
  const own: Partial<Io> = { signal: interrupt.signal, out: (text) => ready.resolve(/http:\S+/.exec(text)?.[0] ?? '') };
  const ended = typed(['tenon', 'record', file, '--listen', '0', ...words], own);
  await use(await Promise.race([ready.promise, ended.then(({ err }) => Promise.reject(new Error(err)))]));
  interrupt.abort();
  expect(await ended).toMatchObject({ code: 0 });
  return readFileSync(file, 'utf8');
}

/** The same calls by each path; the capture replays. */
async function calls(client: Client): Promise<unknown[]> {
  const results = [await client.tools.list().all(), await client.tools.call('reflect', { city: 'Bern' })];
  await client.close();
  return results;
}

async function replayed(text: string, version: ProtocolVersion): Promise<unknown[]> {
  const capture = readCapture(text);
  expect(capture.isComplete).toBe(true);
  expect(callsInCapture(capture).map(({ method }) => method)).toEqual(['tools/list', 'tools/call']);
  return calls(await connect(replayServer(capture), { protocolVersions: [version] }));
}

describe('tenon record', () => {
  it.each<[ProtocolVersion, string]>([
    ['2025-06-18', 'a command'],
    ['2025-11-25', 'a URL'],
    ['2026-07-28', 'a URL'],
    ['2025-11-25', 'a file'],
  ])('started by a client of %s, records %s [S31]', async (version, kind) => {
    const words = { 'a command': ['-q', '--', ...command], 'a URL': [url], 'a file': [serverFile] }[kind] ?? [];
    let results: unknown[] = [];
    const text = await onStdio(words, async (transport) => {
      results = await calls(await connect(transport, { protocolVersions: [version] }));
    });
    expect(await replayed(text, version)).toEqual(results);
  });

  it.each<[ProtocolVersion, string]>([
    ['2025-06-18', 'a command'],
    ['2024-11-05', 'a URL'],
    ['2025-11-25', 'a URL'],
    ['2026-07-28', 'a URL'],
    ['2026-07-28', 'a file'],
  ])('at a port, for a client of %s, records %s [S31]', async (version, kind) => {
    const words = { 'a command': ['-q', '--', ...command], 'a URL': [url], 'a file': [serverFile] }[kind] ?? [];
    let results: unknown[] = [];
    const text = await onHttp(words, async (address) => {
      results = await calls(await connect(address, { protocolVersions: [version] }));
    });
    expect(await replayed(text, version)).toEqual(results);
  });

  it.each([
    ['Streamable HTTP', (address: string) => new StreamableHTTPClientTransport(new URL(address))],
    ['HTTP+SSE', (address: string) => new SSEClientTransport(new URL(address.replace(/mcp$/, 'sse')))],
  ])('at a port, for an official client over %s, that answers a form', async (_, transportTo) => {
    const text = await onHttp([url], async (address) => {
      const client = await connectV1(transportTo(address) as OfficialTransport);
      expect(await client.call('ask')).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
      await client.close();
    });
    const [call] = callsInCapture(readCapture(text));
    expect(call?.answers).toMatchObject([{ method: 'elicitation/create', result: { action: 'accept' } }]);
    expect(call?.result).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  it.each([
    ['a path that names another host', '/.//OTHER/x', 200],
    ['a path that names another host with a backslash', '/.\\\\OTHER/x', 200],
    ['a whole address', 'http://OTHER/x', 200],
    ['a redirect to another host', '/redirect', 307],
  ])('sends its headers to one origin only, also for %s [S31]', async (_, path, status) => {
    const seen = new Map<string, (string | undefined)[]>([
      ['own', []],
      ['other', []],
    ]);
    const [own = '', other = ''] = await Promise.all(
      [...seen.keys()].map(async (name) => {
        const host = createNodeServer((request, response) => {
          seen.get(name)?.push(request.headers['x-key'] as string);
          const isRedirect = request.url === '/redirect';
          response.writeHead(isRedirect ? 307 : 200, isRedirect ? { location: `http://${other}/x` } : {}).end();
        }).listen(0, '127.0.0.1');
        await once(host, 'listening');
        onTestFinished(() => void host.close());
        return `127.0.0.1:${(host.address() as AddressInfo).port}`;
      }),
    );
    await onHttp([`http://${own}/mcp`, '-H', 'x-key: planted'], async (address) => {
      const { hostname, port } = new URL(address);
      const sent = begin({ hostname, port, path: path.replace('OTHER', other), agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(status);
    });
    expect(Object.fromEntries(seen)).toEqual({ own: ['planted'], other: [] });
  });

  it('adds a number where the file exists, since clients start the same command again', async () => {
    const file = newFile();
    for (const expected of [file, file.replace('.mcp', '-2.mcp'), file.replace('.mcp', '-3.mcp')]) {
      const [own, other] = createMemoryTransports();
      const ended = typed(['tenon', 'record', file, url], { openStdio: async () => own });
      await (await connect(other)).close();
      await ended;
      expect(readCapture(readFileSync(expected, 'utf8')).isComplete).toBe(true);
    }
  });

  it.each([
    ['no target', 'record FILE', 2, /No server was named/],
    ['JSON on stdio', 'record FILE URL --json', 2, /--json cannot be used on stdio/],
    ['a protocol version', 'record FILE URL --protocol-version 2025-11-25', 2, /--protocol-version has no effect/],
    ['a port that is none', 'record FILE URL --listen 99999', 2, /--listen cannot be "99999"/],
    ['a folder that does not exist', 'record FOLDER/none/x.ndjson URL', 2, /cannot be created/],
    ['a command that does not exist', 'record FILE -- no-such-program', 3, /no-such-program/],
  ])('%s is refused with what to do', async (_, line, expected, message) => {
    const words = line.replace('FILE', newFile()).replace('URL', url).replace('FOLDER', folder);
    const { code, err, out } = await typed(`tenon ${words}`);
    expect(`${out}${err}`).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe('of 40 planted secrets, none is in a capture', () => {
  /** Each stands in the arguments of a call, and in its result. */
  async function plant(client: Client): Promise<void> {
    for (const [, , message] of secrets) await client.tools.call('reflect', { message });
    await client.close();
  }

  /** The names of those that the capture has. */
  function found(text: string): string[] {
    const isWhole = readCapture(text).events.length > 2 * secrets.length;
    const names = secrets.filter(([, secret]) => text.includes(secret)).map(([name]) => name);
    return [...names, ...(text.includes('planted') ? ['planted'] : []), ...(isWhole ? [] : ['too few events'])];
  }

  it('by the proxy of a command, whose arguments and standard error have them too [S31]', async () => {
    const words = ['-q', '--', ...command, '--api-key=planted-key-1'];
    const text = await onStdio(words, async (transport) =>
      plant(await connect(transport, { protocolVersions: ['2025-11-25'] })),
    );
    expect(found(text)).toEqual([]);
  });

  it.each<ProtocolVersion>(['2025-11-25', '2026-07-28'])('by the proxy from stdio to a URL, at %s', async (version) => {
    const words = [`${url}?token=planted-token`, '-H', 'Authorization: Bearer planted-bearer'];
    const text = await onStdio(words, async (transport) =>
      plant(await connect(transport, { protocolVersions: [version] })),
    );
    expect(found(text)).toEqual([]);
  });

  it.each<ProtocolVersion>(['2025-11-25', '2026-07-28'])('by the proxy of a file, at %s', async (version) => {
    const text = await onStdio([serverFile], async (transport) =>
      plant(await connect(transport, { protocolVersions: [version] })),
    );
    expect(found(text)).toEqual([]);
  });

  const headers = { authorization: 'Bearer planted-bearer', 'x-api-key': 'planted-key', cookie: 'sid=planted' };

  it.each<ProtocolVersion>(['2025-11-25', '2026-07-28'])('by the proxy of HTTP, at %s', async (version) => {
    const text = await onHttp([`${url}?token=planted-token`], async (address) =>
      plant(await connect({ url: `${address}?code=planted-code`, headers }, { protocolVersions: [version] })),
    );
    expect(found(text)).toEqual([]);
  });

  it('by the proxy from HTTP to a file', async () => {
    const text = await onHttp([serverFile], async (address) =>
      plant(await connect({ url: `${address}?code=planted-code`, headers }, { protocolVersions: ['2026-07-28'] })),
    );
    expect(found(text)).toEqual([]);
  });

  it('by the proxy from HTTP to a command', async () => {
    const text = await onHttp(['-q', '--', ...command], async (address) =>
      plant(await connect({ url: address, headers }, { protocolVersions: ['2025-11-25'] })),
    );
    expect(found(text)).toEqual([]);
  });

  it('where a server cannot be reached', async () => {
    const dead = createNodeServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => dead.once('listening', resolve));
    const { port } = dead.address() as { port: number };
    await new Promise((resolve) => dead.close(resolve));
    const text = await onHttp([`http://127.0.0.1:${port}/?token=planted-token`], async (address) => {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(502);
    });
    expect(text).toContain('"phase":"broke"');
    expect(text).not.toContain('planted');
  });
});
