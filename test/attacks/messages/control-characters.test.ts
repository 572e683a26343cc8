/** Names, URIs and texts of the other side try to drive a terminal, forge lines of a log, or show another URL. */
import { format } from 'node:util';
import { type Client, connect, createServer, resourceTemplate, rpcError, type TenonError, tool } from 'tenon';
import { toRequiredUrls } from 'tenon/client';
import { createHost } from 'tenon/host';
import { escapeControls } from 'tenon/input-safety';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { scriptedServer } from '../../host/scripted-server.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program } from '../../kit/process/node-script.ts';
import { call, endAll, startRaw } from '../../kit/process/raw-process.ts';
import { answer, mute, scripted, session } from '../../kit/transport/scripted-server.ts';

const hostile = 'a\u001b[2J\u0007\r\ntenon: all is well\u009b31m\u202eexe.txt\u2028b';
const escaped = 'a\\u001b[2J\\u0007\\r\\ntenon: all is well\\u009b31m\\u202eexe.txt\\u2028b';

/** What no text for a person or a log contains: line breaks only before an indented line. */
const unsafe = /(?!\n {2})[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: unknown) => error as TenonError,
  );

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(() => {
  endAll();
  vi.restoreAllMocks();
});

/** Runs something and returns the lines that it printed. */
async function printedBy(run: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((...values: unknown[]) => void lines.push(format(...values)));
  await run();
  return lines;
}

describe('a client', () => {
  it('cannot write control characters to the standard error of a server by names and broken messages [S36]', async () => {
    const server = startRaw(file);
    server.send(call('a', hostile), { jsonrpc: '2.0', id: 'b', method: hostile });
    server.send(
      `noise \u001b[31m\u202e`,
      { jsonrpc: '2.0', id: 'c', [hostile]: 1 },
      { jsonrpc: '2.0', method: hostile },
    );
    const unknown = await server.answer('a');
    expect(unknown).toMatchObject({ error: { message: `Unknown tool: ${escaped}` } });
    await server.answer('c');
    server.child.stdin.end();
    await server.ended;
    expect(server.stderr()).toContain('noise \\u001b[31m');
    for (const line of server.stderr().trimEnd().split('\n')) {
      expect(line).toMatch(/^serving$|^tenon: |^ {2}/);
      expect(line).not.toMatch(unsafe);
    }
  });

  it('cannot do so by a URI or an argument that a handler puts into its error [S36]', async () => {
    const server = createServer({
      name: 'files',
      version: '1',
      tools: {
        open: tool({}, () => {
          throw new Error(`cannot open ${hostile}`, { cause: new Error(hostile) });
        }),
      },
      resourceTemplates: {
        'file:///{+path}': resourceTemplate({}, ({ path }) => {
          throw new Error(`no file ${String(path)}`);
        }),
      },
    });
    const lines = await printedBy(async () => {
      await using client = await connect(server);
      await client.tools.call('open').catch(() => {});
      await client.resources.read(`file:///${hostile}`).catch(() => {});
    });
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(unsafe);
    expect(lines[0]).toContain('cannot open a\\u001b[2J');
    expect(lines[0]).toContain('control-characters.test.ts');
  });
});

describe('a server', () => {
  const connected = (message: string): { client: Promise<Client>; warnings: unknown[] } =>
    scripted(
      session({ capabilities: { tools: {} } }, (request, send) => {
        if (request.id === undefined) return;
        send({ jsonrpc: '2.0', method: message, params: {} });
        send({ jsonrpc: '2.0', id: 77, method: message, params: {} });
        send({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
        send({ jsonrpc: '2.0', id: request.id, error: { code: -32000, message } });
      }),
      { protocolVersions: ['2025-06-18'] },
    );

  it('has its error messages and method names escaped in errors and warnings [S36]', async () => {
    const { client, warnings } = connected(hostile);
    const error = await failureOf((await client).tools.call('x'));
    expect(error.message).toBe(escaped);
    expect(warnings.length).toBeGreaterThan(1);
    for (const warning of warnings) expect((warning as Error).message).not.toMatch(unsafe);
    await (await client).close();
  });

  it('has the names of its tools escaped in the errors of a call [S36]', async () => {
    const { client } = scripted(session({ capabilities: { tools: {} } }, mute), { protocolVersions: ['2025-06-18'] });
    const leaving = new AbortController();
    const running = (await client).tools.call(hostile, {}, { signal: leaving.signal });
    leaving.abort();
    const error = await failureOf(running);
    expect(error.code).toBe('cancelled');
    expect(error.message).toContain('a\\u001b[2J');
    expect(error.message).not.toMatch(unsafe);
    await (await client).close();
  });

  it('that exits has its output escaped and indented in the error [S36]', async () => {
    const script = `
      process.stdout.write(${JSON.stringify(`noise ${hostile}\n`)}, () =>
        process.stderr.write(${JSON.stringify(`failed ${hostile}\n`)}, () => process.exit(3)));
    `;
    const error = await failureOf(connect(program(script), { onWarning: () => {} }));
    expect(error).toMatchObject({ code: 'server-exited' });
    expect(error.message).toContain('\n    failed a\\u001b[2J');
    expect(error.message).not.toMatch(unsafe);
    expect(JSON.stringify(error.details)).not.toContain('\\u001b[2J\\u0007');
  });

  it('has the names of its tools escaped in the errors of a host [S36]', async () => {
    const server = scriptedServer((method) =>
      method === 'tools/list' ? { tools: [{ name: hostile, inputSchema: { type: 'object' } }] } : {},
    );
    const host = createHost({ servers: { files: server } });
    const [item] = (await host.tools.list()).items;
    const error = await failureOf(host.tools.call(item?.name ?? ''));
    expect(error.code).toBe('consent-denied');
    expect(error.message).not.toMatch(unsafe);
    await host.close();
  });
});

describe('the URL of an elicitation', () => {
  const disguised = ['https://bank.example@other.example/', 'https://user:pass@x.example', 'javascript:alert(1)'];

  it.each(disguised)('is not shown if it has a user name or another scheme: %s [S10, S36]', async (url) => {
    const urls: string[] = [];
    const server = scripted(
      session({ capabilities: { tools: {} } }, (request, send) => {
        if (request.method !== 'tools/call') return;
        const params = { mode: 'url', message: 'Pay', elicitationId: 'e', url };
        send({ jsonrpc: '2.0', id: 'elicit', method: 'elicitation/create', params });
        send(answer(request, { content: [] }));
      }),
      {
        protocolVersions: ['2025-11-25'],
        handlers: {
          elicitUrl: (request) => {
            urls.push(request.url);
            return { action: 'decline' };
          },
        },
      },
    );
    const client = await server.client;
    await client.tools.call('x');
    await client.close();
    expect(urls).toEqual([]);
    const page = { mode: 'url', message: 'Pay', elicitationId: 'e', url };
    expect(toRequiredUrls(rpcError('url-elicitation-required', 'Pay', { elicitations: [page] }))).toEqual([]);
  });

  const tricky = 'HTTPS://B\u00fccher.example\t:443/a\u202e\u001b b/../pay?x=\u2028';
  const plain = 'https://xn--bcher-kva.example/pay?x=%E2%80%A8';

  it('is normalised before a handler shows it [S10, S36]', async () => {
    const urls: string[] = [];
    const { client } = scripted(
      session({ capabilities: { tools: {} } }, (request, send) => {
        if (request.method !== 'tools/call') return;
        const params = { mode: 'url', message: 'Pay', elicitationId: 'e', url: tricky };
        send({ jsonrpc: '2.0', id: 'elicit', method: 'elicitation/create', params });
        send(answer(request, { content: [] }));
      }),
      {
        protocolVersions: ['2025-11-25'],
        handlers: {
          elicitUrl: ({ url }) => {
            urls.push(url);
            return { action: 'decline' };
          },
        },
      },
    );
    await (await client).tools.call('x');
    expect(urls).toEqual([plain]);
    await (await client).close();
  });

  it('is normalised in the list of URLs that an error requires [S10, S36]', () => {
    const page = { mode: 'url', message: 'Pay', elicitationId: 'e', url: tricky };
    const error = rpcError('url-elicitation-required', 'Pay first', { elicitations: [page] });
    expect(toRequiredUrls(error)).toEqual([{ ...page, url: plain }]);
  });
});

it('escapeControls escapes what drives terminals, breaks lines or reorders text, and nothing else [S24, S36]', () => {
  expect(escapeControls(hostile)).toBe(escaped);
  const harmless = 'Grüße, 你好 שלום 👩‍👩‍👧 "quoted" \\n C:\\new';
  expect(escapeControls(harmless)).toBe(harmless);
});
