/** What a client sends beside params, what strict streams refuse, and what a tolerant client waits for: over pipes of processes. */
import { connect, type TenonError } from 'tenon';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { endAll, handshake, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

afterEach(endAll);
const protocolVersions = ['2025-06-18'] as const;

describe('a client with messageAuthorization', () => {
  const echo = rawServerScript('reply(JSON.stringify(message._meta ?? null))');

  it('sends it beside the params of its messages, as document 000 shows it [S22]', async () => {
    const warnings: TenonError[] = [];
    await using client = await connect(program(echo), {
      protocolVersions,
      messageAuthorization: 'Bearer token123',
      onWarning: (warning) => void warnings.push(warning),
    });
    const { content } = await client.tools.call('secure_operation');
    expect(content).toEqual([{ type: 'text', text: '{"authorization":"Bearer token123"}' }]);
    expect(warnings).toEqual([]);
  });

  it('calls a function for each message, so that a token can be renewed [S22]', async () => {
    let calls = 0;
    await using client = await connect(program(echo), {
      protocolVersions,
      messageAuthorization: () => `Bearer ${++calls}`,
    });
    const before = calls;
    const { content } = await client.tools.call('secure_operation');
    expect(content).toEqual([{ type: 'text', text: `{"authorization":"Bearer ${before + 1}"}` }]);
  });

  it('sends nothing without the option, and refuses it for a URL [S22]', async () => {
    await using client = await connect(program(echo), { protocolVersions });
    expect((await client.tools.call('any')).content).toEqual([{ type: 'text', text: 'null' }]);
    await expect(connect('http://127.0.0.1:1/mcp', { messageAuthorization: 'Bearer token123' })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('messageAuthorization'),
    });
  });

  it.each(['2025-06-18', '2026-07-28'] as const)('is known to a Tenon program by it at %s [S22]', async (version) => {
    const server = { command: process.execPath, args: [await bundledProgram('authenticated-server'), version] };
    await using client = await connect(server, { messageAuthorization: 'Bearer let-me-in' });
    expect((await client.tools.call('who')).content).toEqual([{ type: 'text', text: 'ada' }]);
    const refused = connect(server, { reconnect: false }).then((other) => other.tools.call('who'));
    await expect(refused).rejects.toMatchObject({ reason: 'unauthorized', code: -31401 });
  });
});

describe('strict streams', () => {
  it.each([
    ['a blank line', `print('')`, ''],
    ['a line of spaces', `print('  ')`, '  '],
  ])('of a server program are closed by %s [S25]', async (_, print, line) => {
    const failing = connect(program(rawServerScript('', print)), { strict: true, reconnect: false });
    await expect(withTimeout(failing, 'the connection to fail')).rejects.toMatchObject({
      code: 'invalid-json',
      details: { line, strict: true },
    });
  });

  it('of a server program are closed by a byte order mark [S25]', async () => {
    const script = rawServerScript('', `process.stdout.write('\\ufeff')`);
    await expect(
      withTimeout(connect(program(script), { strict: true, reconnect: false }), 'the connection to fail'),
    ).rejects.toMatchObject({ code: 'invalid-json', details: { strict: true } });
    await (await connect(program(script), { protocolVersions })).close();
  });

  describe('of a client', () => {
    let file = '';
    beforeAll(async () => {
      file = await bundledProgram('strict-server');
    });

    it('have blank lines and a byte order mark counted and refused [S25]', async () => {
      const server = startRaw(file);
      server.send(`\ufeff${JSON.stringify(handshake())}`, '', '   ', handshake());
      await server.answer('hello');
      expect(server.lines.slice(0, 3).map((line) => JSON.parse(line).error?.code)).toEqual([-32700, -32700, -32700]);
      server.child.stdin.end();
      await server.ended;
      expect(server.stderr()).toContain('dropped 3');
    });
  });
});

describe('a tolerant client', () => {
  const both = '{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"both"}}';
  const invalid = `print(${JSON.stringify(both)}.replace('ID', message.id));`;

  it('drops and counts an invalid answer, and uses a valid one that follows [S26]', async () => {
    const warnings: string[] = [];
    await using client = await connect(program(rawServerScript(`${invalid} reply('valid')`)), {
      protocolVersions,
      onWarning: ({ code }) => void warnings.push(code),
    });
    expect((await client.tools.call('any')).content).toEqual([{ type: 'text', text: 'valid' }]);
    expect(warnings).toEqual(['invalid-message']);
    expect(client.stats().dropped.invalid).toBe(1);
  });

  it('waits for a valid answer no longer than the timeout, and then names the invalid one [S26]', async () => {
    await using client = await connect(program(rawServerScript(invalid)), { protocolVersions, onWarning: () => {} });
    await expect(client.request('tools/call', { name: 'any' }, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'timeout',
      cause: { code: 'invalid-message' },
    });
  });
});

describe('a client that refuses params of a server request', () => {
  const asking = (method: string, params: object): string =>
    rawServerScript(
      `if (message.id === 'q') {
        process.stderr.write(JSON.stringify(message.error) + '\\n');
        return answered();
      }
      globalThis.answered = () => reply('asked');
      print(JSON.stringify(${JSON.stringify({ jsonrpc: '2.0', id: 'q', method, params })}));`,
    );

  it.each([
    ['elicitation/create', { message: 5 }, 'message'],
    ['sampling/createMessage', { messages: [], maxTokens: 1, tools: [] }, 'tools'],
    ['elicitation/create', { mode: 'url', message: 'm', elicitationId: 'e', url: 'https://example.com' }, 'mode'],
  ])('has the field, the reason and both in data of -32602: %s %j [S29]', async (method, params, field) => {
    const lines: string[] = [];
    const script = asking(method, params).replace("'2025-06-18'", "'2025-11-25'");
    const target = program(script, { stderr: (line) => void lines.push(line) });
    await using client = await connect(target, {
      protocolVersions: ['2025-11-25'],
      onWarning: () => {},
      handlers: { elicitForm: () => ({ action: 'cancel' }), sample: () => Promise.reject(new Error('not asked')) },
    });
    await client.tools.call('any');
    await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000);
    const error: unknown = JSON.parse(lines[0] ?? '');
    expect(error).toMatchObject({
      code: -32602,
      data: { field, reason: expect.any(String), details: expect.stringContaining(field) },
    });
  });
});
