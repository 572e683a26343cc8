/** The page of the operator shows who is connected and what waits, and has buttons that only it can press. */
import { request } from 'node:http';
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForAdmin } from '../../../src/gateway/serving/admin-listener.ts';
import { statusPage } from '../../../src/gateway/serving/status-page.ts';
import type { GatewayStatus, UpstreamStatus } from '../../../src/gateway/types.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';
import { clientOf, serving, textOf } from '../command/serving.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const sent = (url: string, options: object = {}, body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => void (text += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    outgoing.on('error', reject).end(body);
  });

const press = (url: string, action: string, token: string, value: string, headers: object = {}): Promise<Answer> =>
  sent(
    `${url}/${action}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url, ...headers },
    },
    new URLSearchParams({ token, value }).toString(),
  );

const tokenIn = (text: string): string => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';

const upstream = (more: Partial<UpstreamStatus> = {}): UpstreamStatus => ({
  state: 'connected',
  generation: 1,
  required: false,
  connections: 2,
  waiting: 3,
  parked: 4,
  circuit: 'closed',
  lastError: undefined,
  ...more,
});

it('shows upstreams, subjects, what waits and errors, and escapes all of it', () => {
  const status: GatewayStatus = {
    upstreams: {
      github: upstream({ lastError: { code: 'unreachable', message: 'The <upstream> fell', at: 0 } }),
      mail: upstream({ state: 'idle' }),
    },
    dropped: { 'ping: <b>': 7 },
  };
  const ada = createPrincipal({ issuer: 'https://id.example', subject: '<ada>' });
  const text = statusPage({
    status,
    connections: [
      { upstream: 'github', principal: ada, uses: 1 },
      { upstream: 'github', principal: ada, uses: 0 },
      { upstream: 'mail', principal: undefined, uses: 0 },
    ],
    token: 't0ken',
  });
  expect(text).toContain('2 connections · 3 calls wait for one · 4 calls wait for their callers');
  expect(text).toContain('1970-01-01T00:00:00.000Z unreachable: The &lt;upstream&gt; fell');
  expect(text).toContain('&lt;ada&gt; at https://id.example');
  expect(text).toContain('github: 2');
  expect(text).toContain('7 × ping: &lt;b&gt;');
  expect(text).not.toMatch(/<script|<ada>|<upstream>/);
});

describe('The buttons', () => {
  const listening = async (host = '127.0.0.1') => {
    const pressed: string[][] = [];
    const admin = await listenForAdmin(
      { host, port: 0 },
      {
        notReady: async () => [],
        metrics: () => '',
        page: (token) => `<form><input name="token" value="${token}"></form>`,
        act: async (...what) => {
          if (what[1] === 'unknown') throw new Error('There is no such upstream.');
          pressed.push(what);
        },
      },
    );
    onTestFinished(() => admin.close());
    return { url: admin.url, pressed };
  };

  it('work from the page, which nothing can frame or script', async () => {
    const { url, pressed } = await listening();
    const { text, headers } = await sent(`${url}/`);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(await press(url, 'drain', tokenIn(text), 'github')).toMatchObject({
      status: 303,
      headers: { location: '/' },
    });
    expect(await press(url, 'revoke', tokenIn(text), 'ada')).toMatchObject({ status: 303 });
    expect(pressed).toEqual([
      ['drain', 'github'],
      ['revoke', 'ada'],
    ]);
    expect(await press(url, 'drain', tokenIn(text), 'unknown')).toMatchObject({
      status: 400,
      text: 'There is no such upstream.\n',
    });
  });

  it('do nothing for another page, without the token, or for another host', async () => {
    const { url, pressed } = await listening();
    const token = tokenIn((await sent(`${url}/`)).text);
    const refused = [
      press(url, 'drain', token, 'x', { origin: 'https://evil.example' }),
      press(url, 'drain', token, 'x', { origin: 'null' }),
      press(url, 'drain', '', 'x'),
      press(url, 'drain', `${token}x`, 'x'),
      press(url, 'drain', token, 'x', { host: 'evil.example', origin: 'http://evil.example' }),
    ];
    for (const { status } of await Promise.all(refused)) expect(status).toBe(403);
    expect(await press(url, 'stop', token, 'x')).toMatchObject({ status: 405 });
    expect(await press(url, 'drain', token, 'x'.repeat(20_000))).toMatchObject({ status: 413 });
    expect(pressed).toEqual([]);
  });

  it('are not there for other machines: the page has subjects', async () => {
    const { url } = await listening('0.0.0.0');
    expect(await sent(`${url}/`)).toMatchObject({ status: 404 });
    expect(await press(url, 'drain', '', 'x')).toMatchObject({ status: 403 });
    expect(await press(url, 'drain', '', 'x', { origin: '' })).not.toMatchObject({ status: 303 });
  });
});

it('The page of a gateway shows a caller, disconnects it, and replaces the connections of an upstream', async () => {
  const connections: string[] = [];
  const server = createServer({ name: 'u', version: '1.0.0', tools: { echo: tool({}, () => 'echo') } });
  const options: ServeHttpOptions = { port: 0, tap: (event) => void connections.push(JSON.stringify(event)) };
  const service = await serveHttp(server, options);
  onTestFinished(() => service.close());
  const ada = await generateApiKey();
  const gateway = await serving(
    `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nprotect:\n  apiKeys: [{ id: ${ada.id}, hash: ${ada.hash}, subject: ada }]\nupstreams:\n  one: { url: '${service.url}' }\n`,
  );
  const url = gateway.adminUrl as string;
  const client = await clientOf({ url: gateway.url, headers: { 'x-api-key': ada.key } }, { cache: false });
  expect(textOf(await client.tools.call('echo', {}))).toBe('echo');
  const { text } = await sent(`${url}/`);
  expect(text).toContain('ada');
  expect(gateway.status().upstreams.one).toMatchObject({ connections: 1, generation: 1 });
  const principal = /name="value" value="([^"]+)">Disconnect ada/.exec(text)?.[1] ?? '';
  expect(await press(url, 'revoke', tokenIn(text), principal.replaceAll('&quot;', '"'))).toMatchObject({ status: 303 });
  expect(gateway.status().upstreams.one).toMatchObject({ connections: 0 });
  // Its credentials of the gateway are still good.
  expect(textOf(await client.tools.call('echo', {}))).toBe('echo');
  expect(await press(url, 'drain', tokenIn(text), 'one')).toMatchObject({ status: 303 });
  expect(gateway.status().upstreams.one).toMatchObject({ generation: 2 });
  expect(textOf(await client.tools.call('echo', {}))).toBe('echo');
});
