/** Messages carry tokens: no reply, log, warning or error repeats one, however broken the message is. */
import { connect, createServer, resource, tool } from 'tenon';
import type { Middleware } from 'tenon/server';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program } from '../../kit/process/node-script.ts';
import { call, endAll, handshake, resultText, startRaw } from '../../kit/process/raw-process.ts';
import { openAt } from '../../kit/transport/raw-connection.ts';

const token = 'token-4711';
const meta = `"_meta":{"authorization":"Bearer ${token}"}`;

/** Broken messages; each is answered or only reported. */
const broken = [
  `{"jsonrpc":"2.0","id":1,"method":"tools/call",${meta}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/call",${meta}} "`,
  `{${meta} "x"}`,
  `{"id":1,"method":"tools/call",${meta}}`,
  `{"jsonrpc":"2.0","id":1,"method":7,${meta}}`,
  `{"jsonrpc":"2.0","id":{},"method":"tools/call",${meta}}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","Bearer ${token}":{"__proto__":1},${meta}}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(200)}${']'.repeat(200)},${meta}}`,
  `[{${meta}}]`,
  `[${Array(200).fill(`{"jsonrpc":"2.0","method":"m",${meta}}`).join(',')}]`,
  `authorization: Bearer ${token}`,
  `"Bearer ${token}"`,
];

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(endAll);

describe('a token in a broken message', () => {
  it('is in no reply and not on standard error of a server over stdio [S36]', async () => {
    const server = startRaw(file);
    server.send(...broken);
    server.child.stdin.write(Buffer.concat([Buffer.from(`{${meta},"`), Buffer.from([0xff]), Buffer.from('"}\n')]));
    server.send(handshake());
    await server.answer('hello');
    server.child.stdin.end();
    await server.ended;
    expect(server.lines.length).toBeGreaterThan(broken.length / 2);
    expect(server.lines.join('\n')).not.toMatch(/4711|authorization|Bearer/);
    expect(server.stderr()).toContain('tenon:');
    expect(server.stderr()).toContain('[masked]');
    expect(server.stderr()).not.toContain('4711');
  });

  it('is in no reply over HTTP [S36]', async () => {
    const { url, warnings } = await serve();
    for (const body of broken) {
      const { status, text } = await send(url, { body });
      expect(status).toBe(400);
      expect(text).not.toMatch(/4711|authorization|Bearer/);
    }
    expect(warnings.map(String).join('\n')).not.toContain('4711');
  });

  it('that a server sends is in no warning and no error of a client [S36]', async () => {
    const warnings: Error[] = [];
    const script = `
      const printed = ${JSON.stringify(`${broken.join('\n')}\n`)};
      const secrets = 'key sk-proj-abcdefghij0123456789 Bearer ${token}\\n';
      process.stdout.write(printed, () => process.stderr.write(secrets, () => process.exit(3)));
    `;
    const failed = connect(program(script), { onWarning: (error) => warnings.push(error) });
    const error = await failed.then(
      () => undefined,
      (reason: unknown) => reason as Error & { details: unknown },
    );
    expect(error).toMatchObject({ code: 'server-exited' });
    expect(warnings.length).toBeGreaterThan(3);
    for (const each of [error, ...warnings]) {
      const { message, stack, details, cause } = each as Error & { details: unknown };
      expect(`${message} ${stack} ${JSON.stringify(details)} ${String(cause)}`).not.toMatch(/4711|sk-proj/);
    }
  });
});

describe('_meta.authorization beside params', () => {
  it('is seen by no handler and no middleware, and the call is served [S36]', async () => {
    const seen: unknown[] = [];
    const watching: Middleware = ({ method, params, ctx }, next) => {
      seen.push(method, params, ctx.meta);
      return next();
    };
    const server = createServer(
      {
        name: 'watched',
        version: '1',
        tools: {
          echo: tool({}, (input, ctx) => {
            seen.push(input, ctx.meta);
            return 'served';
          }),
        },
        resources: { 'memo://a': resource({}, () => 'a') },
      },
      { middleware: [watching] },
    );
    for (const revision of ['2025-06-18', '2026-07-28'] as const) {
      const { ask, send: sendTo, settled } = await openAt(server, revision);
      const message = ask(7, 'tools/call', { name: 'echo', arguments: {} });
      sendTo({ ...message, _meta: { authorization: `Bearer ${token}` } });
      expect(await settled()).toMatchObject([{ id: 7, result: { content: [{ text: 'served' }] } }]);
    }
    expect(seen.length).toBeGreaterThan(4);
    expect(JSON.stringify(seen)).not.toContain('4711');
  });

  it('is not written when a handler fails over stdio [S36]', async () => {
    const server = startRaw(file);
    server.send({ ...call('a', 'echo', { text: 'x' }), _meta: { authorization: `Bearer ${token}` } });
    server.send({ ...call('b', 'no such tool'), _meta: { authorization: `Bearer ${token}` } });
    expect(resultText(await server.answer('a'))).toBe('x');
    expect(JSON.stringify(await server.answer('b'))).not.toContain('4711');
    expect(server.stderr()).not.toContain('4711');
  });
});
