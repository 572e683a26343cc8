/** The doctor and the errors of `connect()` name the same steps with the same words. */
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { connect, RpcError, serveHttp, TenonError } from 'tenon';
import { connectSteps } from 'tenon/client';
import type { ConnectStep } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { shownHint } from '../../src/cli/output/shown-hint.ts';
import { storedAuth } from '../../src/cli/target/stored-auth.ts';
import { messageWithoutHint } from '../../src/lib/errors/tenon-error.ts';
import { failureOf, listening } from '../client/http/broken-targets.ts';
import { ownCertificate } from '../client/http/fixtures/certificates.ts';
import { refuse, type Script, scripted } from '../kit/http/scripted-server.ts';
import server from './fixtures/server.ts';
import { typed } from './terminal.ts';

type Target = Parameters<typeof connect>[0];

interface Broken {
  readonly step: ConnectStep;
  readonly code: number;
  readonly target: Target;
  /** How the target is typed. */
  readonly words: readonly string[];
  /** What the command line advises instead: a command, where the library has an option. */
  readonly advice?: string;
}

/** Commands use the credentials of the user. */
const auth = storedAuth({ env: { HOME: '/nowhere' } });
const urlCase = (step: ConnectStep, code: number, url: string): Broken => ({
  step,
  code,
  target: { url, auth },
  words: [url],
});
const commandCase = (step: ConnectStep, code: number, command: string, ...args: string[]): Broken => ({
  step,
  code,
  target: { command, args, stderr: 'ignore' },
  words: ['--quiet', '--', command, ...args],
});
const answering = async (step: ConnectStep, code: number, script: Script): Promise<Broken> =>
  urlCase(step, code, (await scripted(script)).url);

const cases: Readonly<Record<string, () => Promise<Broken> | Broken>> = {
  'a program that does not exist': () => commandCase('start', 3, 'no-such-program-of-tenon'),
  'a program that exits': () => commandCase('start', 3, process.execPath, '-e', 'process.exit(3)'),
  'an unknown host': () => urlCase('resolve', 3, 'http://no-such-host.invalid/mcp'),
  'a closed port': async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    return urlCase('connect', 3, `http://127.0.0.1:${port}/mcp`);
  },
  'a certificate that is not trusted': async () =>
    urlCase('tls', 3, `https://localhost:${await listening(createTlsServer(ownCertificate), 'localhost')}/mcp`),
  'a server without TLS': async () => urlCase('tls', 3, (await scripted(() => false)).url.replace('http:', 'https:')),
  'a server that cuts connections': async () => {
    const cutting = createTcpServer((socket) => void socket.destroy());
    return urlCase('endpoint', 3, `http://127.0.0.1:${await listening(cutting)}/mcp`);
  },
  'a wrong path': () => answering('endpoint', 3, ({ response }) => refuse(response, 404)),
  'a web page': () =>
    answering('endpoint', 3, ({ response }) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>Welcome'),
    ),
  'a server that wants a token': async () => {
    const broken = await answering('authorize', 4, ({ response }) => refuse(response, 401));
    const advice = `Sign in with: tenon login ${broken.words[0]}, or pass a key: --header "Authorization: Bearer KEY"`;
    return { ...broken, advice };
  },
  'a server that takes API keys': async () => {
    const challenge = { 'www-authenticate': 'Bearer' };
    const broken = await answering('authorize', 4, ({ response }) => response.writeHead(401, challenge).end());
    const advice = `Sign in with: tenon login ${broken.words[0]}, or pass a key: --header "Authorization: Bearer KEY"`;
    return { ...broken, advice };
  },
  'a server that forbids it': () => answering('authorize', 4, ({ response }) => refuse(response, 403)),
  'a server of another protocol': () =>
    answering('negotiate', 7, ({ message, response }) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32050, message: 'Not here' } })),
    ),
};

interface Step {
  readonly step: ConnectStep;
  readonly outcome: string;
  readonly text?: string;
  readonly hint?: string;
}

describe('tenon doctor', () => {
  it.each(Object.entries(cases))(
    'fails for %s at the step, and with the words, of connect() [S31]',
    async (_, broken) => {
      const { step, code, target, words, advice } = await broken();
      const error = await failureOf(target);
      expect(error.step).toBe(step);
      const printed = await typed(['tenon', 'doctor', '--json', ...words]);
      const { steps } = JSON.parse(printed.out).result as { readonly steps: readonly Step[] };
      const failed = steps.filter(({ outcome }) => outcome === 'failed');
      expect(failed).toMatchObject([{ step }]);
      expect(failed).toMatchObject([{ text: messageWithoutHint(error).replace(/\n {2}(?=\S)/g, ' ') }]);
      expect(failed[0]?.hint).toBe(advice ?? (error.hint && shownHint(error.hint)));
      expect(printed.code).toBe(code);
      const outcomes = steps.map(({ outcome }) => outcome).join(' ');
      expect(outcomes).toMatch(/^passed( passed)* failed( skipped)*$/);
    },
  );

  it('passes every step of a server that works, and says what it found', async () => {
    const service = await serveHttp(server, { port: 0 });
    const { code, out } = await typed(`tenon doctor ${service.url}`);
    await service.close();
    expect(code).toBe(0);
    expect(out).toMatch(/✓ resolve {7}127\.0\.0\.1\n/);
    expect(out).toMatch(/✓ negotiate {5}2026-07-28, typed 1\.2\.3\n/);
    expect(out).toMatch(/✓ capabilities {2}5 tools, 1 resource, 1 prompt\n$/);
    const { url } = await scripted(() => false);
    const http = await typed(`tenon doctor ${url} --json`);
    const steps = JSON.parse(http.out).result.steps as readonly Step[];
    expect(steps.map(({ step }) => step)).toEqual(
      Object.keys(connectSteps).filter((step) => step !== 'start' && step !== 'tls'),
    );
    expect(steps.every(({ outcome }) => outcome === 'passed')).toBe(true);
  });

  it('shows the failed step with what it needs and what to do', async () => {
    const { url } = await scripted(({ response }) => refuse(response, 404));
    const { out } = await typed(`tenon doctor ${url}`);
    expect(out).toMatch(
      /✓ connect .*\n✗ endpoint\n {4}expected {2}.*answers like an MCP server\.\n {4}found {5}[^]*serves nothing at this path\s+\(404\)\.\n\n {4}fix {7}Check the path[^]*\n\n- authorize .*not run\n/,
    );
  });

  it('marks what to do about it, on a terminal with colors', async () => {
    const { out } = await typed('tenon doctor http://127.0.0.1:9/mcp', { hasColor: true, isTerminal: true });
    expect(out).toContain('\u001b[1mfix       Start the server, or check the port.\u001b[22m');
  });

  it('shows what a program writes to standard error once, whether it exits or works', async () => {
    const doctor = (script: string) => typed(['tenon', 'doctor', '--', process.execPath, '-e', script]);
    const exits = await doctor('const text = "no " + "key"; console.error(text); process.exit(3)');
    expect(exits.err).toBe('');
    expect(exits.out.split('no key')).toHaveLength(2);
    const answers = `console.error('star' + 'ted'); require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      const error = { code: -32601, message: 'no' };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) })); });`;
    const works = await doctor(answers);
    expect(works).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/Standard error of the server:\n {2}started\n$/),
    });
  });

  it('fails at the target if it cannot be read', async () => {
    const { code, out } = await typed('tenon doctor ./nowhere.ts');
    expect(code).toBe(2);
    expect(out).toMatch(/^✗ target\n {4}expected {2}The target is .*\n {4}found {5}There is no file[^]*nowhere\.ts\./);
  });

  it('fails at the last step if the server cannot list what it declares', async () => {
    const { url } = await scripted(({ message, response }) => {
      if (message.method !== 'tools/list') return false;
      const error = { code: -32603, message: 'No list' };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
    });
    const { code, out } = await typed(`tenon doctor ${url}`);
    expect(code).toBe(7);
    expect(out).toMatch(/✗ capabilities\n.*\n {4}found .*No list/);
  });
});

it('--json of any command has the step of connecting that failed [S31]', async () => {
  const { url } = await scripted(({ response }) => refuse(response, 401));
  const { code, out } = await typed(`tenon tools ${url} --json`);
  expect(code).toBe(4);
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: { step: 'authorize', hint: expect.any(String) } });
});

it('an error of a call has no step', async () => {
  const client = await connect(server);
  const error = await client.resources.read('notes://none').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RpcError);
  expect(error).not.toHaveProperty('step');
  await client.close();
});

it('a missing capability is an error of the last step', async () => {
  const error = await connect(server, { requiredCapabilities: ['experimental.none'] }).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(TenonError);
  expect((error as TenonError).step).toBe('capabilities');
});
