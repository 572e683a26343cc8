/** `compat` of a connection or an endpoint: for all clients, or chosen for each at `initialize`. */
import { connect, createServer, serveHttp, serveStdio, tool } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createMemoryTransports } from '../../../src/transport/memory.ts';

const definition = {
  name: 's',
  version: '1',
  tools: { search: tool({ inputSchema: z.object({ pattern: z.string() }) }, () => 'found') },
};
const protocolVersions = ['2025-06-18'] as const;
const client = (name: string) => ({ clientInfo: { name, version: '1' }, protocolVersions });
type Chosen = { readonly errorCodes: 'reference' } | undefined;

describe('over HTTP', () => {
  async function served(compat: (client: { clientInfo: { name: string } }) => Chosen, options: object = {}) {
    const server = createServer(definition, { onError: () => undefined, secrets: ['0123456789abcdef0123'] });
    const http = await serveHttp(server, { port: 0, compat, ...options });
    onTestFinished(async () => void (await http.close()));
    return http.url;
  }
  const missing = (url: string, name: string) =>
    connect(url, client(name)).then((one) =>
      one
        .request('tools/call', { name: 'missing' })
        .then(() => undefined)
        .catch((error: unknown) => error)
        .finally(() => one.close()),
    );

  it('gives each client its own table, and calls the function once for a session [S29]', async () => {
    const asked: string[] = [];
    const url = await served(({ clientInfo: { name } }) => {
      asked.push(name);
      return name === 'documents' ? { errorCodes: 'reference' } : undefined;
    });
    const [documents, official] = [await missing(url, 'documents'), await missing(url, 'official')];
    expect(documents).toMatchObject({ code: -32003, message: 'Tool not found' });
    expect(official).toMatchObject({ code: -32602 });
    expect(asked).toEqual(['documents', 'official']);
  });

  it('keeps the choice where another node resumes the session, without asking there [S29]', async () => {
    const store = createMemoryStore();
    const first = await served(() => ({ errorCodes: 'reference' }), { store });
    const second = await served(
      () => {
        throw new Error('asked again');
      },
      { store },
    );
    const post = (url: string, body: object, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const begun = await post(first, { id: 1, method: 'initialize', params });
    const session = begun.headers.get('mcp-session-id') ?? '';
    const called = await post(second, { id: 2, method: 'tools/call', params: { name: 'missing' } }, session);
    expect(await called.json()).toMatchObject({ error: { code: -32003, message: 'Tool not found' } });
  });

  it('answers initialize with an internal error where the function throws or returns no such options [S29]', async () => {
    for (const compat of [
      () => {
        throw new Error('private');
      },
      () => ({ errorCodes: 'none' }) as unknown as Chosen,
    ]) {
      const url = await served(compat);
      await expect(connect(url, client('c'))).rejects.toMatchObject({
        message: expect.not.stringContaining('private'),
      });
    }
  });
});

describe('an option that cannot apply is an error', () => {
  const server = createServer(definition);
  const exchanges = createServer(definition, { protocolVersions: ['2026-07-28'] });
  const chosen = { errorCodes: 'digest' } as const;

  it.each<[string, () => unknown]>([
    [
      'createServer without sessions',
      () => createServer(definition, { protocolVersions: ['2026-07-28'], compat: chosen }),
    ],
    ['accept of such a server', () => exchanges.accept(createMemoryTransports()[0], { compat: chosen })],
    ['serveStdio of such a server', () => serveStdio(exchanges, { compat: () => chosen })],
    ['serveHttp of such a server', () => serveHttp(exchanges, { port: 0, compat: chosen })],
    [
      'serveHttp without sessions and a function',
      () => serveHttp(server, { port: 0, sessions: false, compat: () => chosen }),
    ],
    ['connect without sessions', () => connect(server, { protocolVersions: ['2026-07-28'], compat: chosen })],
    [
      'elicitation where no version has it',
      () =>
        createServer(definition, { protocolVersions: ['2024-11-05'], compat: { dialects: ['elicitation-messages'] } }),
    ],
    // @ts-expect-error A server needs no option for it.
    ['a dialect of clients for a server', () => createServer(definition, { compat: { dialects: ['tasks-create'] } })],
    // @ts-expect-error Clients read it without an option.
    ['a dialect of servers for a client', () => connect(server, { compat: { dialects: ['system-role'] } })],
  ])('%s [S29]', async (_, run) => {
    await expect((async () => run())()).rejects.toMatchObject({
      code: expect.stringMatching(/^invalid-(argument|definition)$/),
      message: expect.stringContaining('compat'),
    });
  });
});
