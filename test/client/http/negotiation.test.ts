/** How a client finds out over HTTP what a server speaks, and over which transport. */

import { connect, toText } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  alone,
  answer,
  event,
  type Json,
  type Received,
  refuse,
  scripted,
  session,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

async function opened(url: string) {
  const client = await connect(url, { reconnect: false });
  onTestFinished(() => client.close());
  return client;
}

const discovers = ({ message }: Received): boolean => message.method === 'server/discover';
const methodsOf = (received: readonly Received[]): unknown[] =>
  received.map(({ method, message }) => message.method ?? method);

describe('a server that cannot be discovered', () => {
  it.each([
    ['an empty 400', (one: Received) => refuse(one.response, 400)],
    ['a 400 that nobody understands', (one: Received) => one.response.writeHead(400).end('Bad Request: no session')],
    [
      'an error without a meaning',
      (one: Received) => refuse(one.response, 400, { code: -32000, message: 'Bad Request' }),
    ],
    ['an unknown method', (one: Received) => refuse(one.response, 404, { code: -32601, message: 'Method not found' })],
    ['an empty 404', (one: Received) => refuse(one.response, 404)],
    ['a 405', (one: Received) => refuse(one.response, 405)],
    ['a 202', (one: Received) => one.response.writeHead(202).end()],
    ['the end of the connection', (one: Received) => one.response.destroy()],
  ])('and answers by %s is met by a handshake [e-http-81, e-http-82, e-http-84]', async (_name, script) => {
    const server = await scripted((one) => (discovers(one) ? script(one) : false));
    expect((await opened(server.url)).protocolVersion).toBe(session);
    expect(methodsOf(server.received).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });
});

it('a server that was silent once is asked again when it is connected to anew', async () => {
  let isSilent = true;
  const server = await scripted((one) => (isSilent && discovers(one) ? undefined : false));
  const silent = await connect(server.url, { reconnect: false, timeouts: { discoveryMs: 50 } });
  expect(silent.protocolVersion).toBe(session);
  await silent.close();
  isSilent = false;
  expect((await opened(server.url)).protocolVersion).toBe(alone);
});

describe('a server that was discovered and is replaced by an older one', () => {
  it.each([
    ['an empty 404', (one: Received) => refuse(one.response, 404)],
    ['an empty 400', (one: Received) => refuse(one.response, 400)],
    ['that it wants a session', (one: Received) => refuse(one.response, 400, { code: -32000, message: 'No session' })],
    [
      'the revisions it has',
      (one: Received) =>
        refuse(one.response, 400, { code: -32022, message: 'No', data: { supported: [session], requested: alone } }),
    ],
  ])('and answers by %s is met anew, and the call is made there', async (_name, script) => {
    let isOld = false;
    const server = await scripted((one) =>
      isOld && one.headers['mcp-protocol-version'] === alone ? script(one) : false,
    );
    const client = await connect(server.url, { reconnect: { initialDelayMs: 1 } });
    onTestFinished(() => client.close());
    expect(client.protocolVersion).toBe(alone);
    isOld = true;
    const answers = await withTimeout(Promise.all([client.tools.call('a'), client.tools.call('b')]), 'the answers');
    expect(answers).toMatchObject([textResult('done'), textResult('done')]);
    expect(client.protocolVersion).toBe(session);
  });

  it('is listened to anew by a client that does nothing else', async () => {
    let isOld = false;
    let end = (): void => {};
    const capabilities = { tools: { listChanged: true } };
    const server = await scripted(({ headers, message: { id, method, params }, response }) => {
      if (isOld && headers['mcp-protocol-version'] === alone)
        return refuse(response, 400, { code: -32022, message: 'No', data: { supported: [session], requested: alone } });
      if (method === 'initialize')
        return answer(response, id, {
          protocolVersion: session,
          capabilities,
          serverInfo: { name: 's', version: '1' },
        });
      if (method !== 'subscriptions/listen') return false;
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      const acknowledged = 'notifications/subscriptions/acknowledged';
      const { notifications } = params as Json;
      const out = stream(response, event({ method: acknowledged, params: { notifications, _meta } }));
      end = () => out.end(event({ id, result: { resultType: 'complete', _meta } }));
    });
    const client = await connect(server.url, { reconnect: { initialDelayMs: 1 } });
    onTestFinished(() => client.close());
    const changes = await client.subscribe({ toolsListChanged: true });
    isOld = true;
    end();
    const next = changes[Symbol.asyncIterator]().next();
    expect(await withTimeout(next, 'a change')).toEqual({ done: false, value: { type: 'tools' } });
    expect(client.protocolVersion).toBe(session);
  });

  it('is not suspected where it still can be discovered: the refusal of one call is its own', async () => {
    const server = await scripted((one) => one.message.method === 'tools/call' && refuse(one.response, 400));
    const client = await opened(server.url);
    await expect(client.tools.call('a')).rejects.toMatchObject({ code: 'http-error' });
    expect(server.posted('tools/call')).toHaveLength(1);
    expect(client.connection.state).toBe('ready');
  });
});

describe.each([502, 504])('a call to which a gateway answers %i', (status) => {
  /** The first request of each method fails. */
  const behind = () => {
    const seen = new Set<unknown>();
    return scripted(({ message: { method }, response }) => {
      if ((method !== 'tools/call' && method !== 'tools/list') || seen.has(method)) return false;
      seen.add(method);
      return refuse(response, status);
    });
  };

  it('may have been carried out, and is not made again unasked', async () => {
    const server = await behind();
    const client = await opened(server.url);
    const error = { code: 'outcome-unknown', cause: { code: 'server-unavailable', details: { status } } };
    await expect(client.tools.call('pay')).rejects.toMatchObject(error);
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('is made again where it is safe, or only looks', async () => {
    const server = await behind();
    const client = await opened(server.url);
    expect(await client.tools.call('pay', {}, { retryable: true })).toMatchObject(textResult('done'));
    expect(await client.tools.list().all()).toEqual([]);
    expect(server.posted('tools/call')).toHaveLength(2);
    expect(server.posted('tools/list')).toHaveLength(2);
  });
});

describe('a server that knows exchanges and refuses', () => {
  it('another revision is asked by the one it names [e-http-83]', async () => {
    const server = await scripted(
      (one) =>
        one.message.method === 'server/discover' &&
        server.received.length === 1 &&
        refuse(one.response, 400, { code: -32022, message: 'No', data: { supported: [session], requested: alone } }),
    );
    expect((await opened(server.url)).protocolVersion).toBe(session);
    expect(server.posted('initialize')).toHaveLength(1);
  });

  it('the headers is not taken for an older one [e-http-82, e-http-83]', async () => {
    const server = await scripted(
      (one) => discovers(one) && refuse(one.response, 400, { code: -32020, message: 'Header mismatch' }),
    );
    await expect(opened(server.url)).rejects.toMatchObject({ code: -32020 });
    expect(server.posted('initialize')).toEqual([]);
  });
});

describe.each([400, 404, 405])('a server of the first transport, which shows itself by %i,', (status) => {
  /** What was posted is taken, and answered on the stream. */
  const oldServer = () => {
    let out: Received['response'] | undefined;
    return scripted(({ method, path, message, response }) => {
      if (method === 'GET') {
        out = stream(response, 'event: endpoint\ndata: /messages?key=1\n\n');
        return;
      }
      if (path !== '/messages?key=1') return refuse(response, status);
      response.writeHead(202).end('Accepted');
      const { id, params } = message as { id?: unknown; params?: Json };
      if (id === undefined) return;
      const greeting = {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'o', version: '1' },
      };
      out?.write(
        `event: message\n${event({ id, result: message.method === 'initialize' ? greeting : textResult('old') })}`,
      );
    });
  };

  it('is found by GET, and posted to where it says [e-http-91, s-sse-legacy-02, s-sse-legacy-03, s-sse-legacy-206@2024-11-05]', async () => {
    const server = await oldServer();
    const client = await opened(server.url);
    expect(toText(await client.tools.call('look'))).toBe('old');
    expect(server.received.map(({ method, path, message }) => [method, path, message.method])).toEqual([
      ['POST', '/mcp', 'server/discover'],
      ['POST', '/mcp', 'initialize'],
      ['GET', '/mcp', undefined],
      ['POST', '/messages?key=1', 'initialize'],
      ['POST', '/messages?key=1', 'notifications/initialized'],
      ['POST', '/messages?key=1', 'tools/call'],
    ]);
  });

  it('ends the connection when it ends its stream', async () => {
    const server = await oldServer();
    let ended = (): void => {};
    const over = new Promise<void>((resolve) => (ended = resolve));
    const client = await connect(server.url, { reconnect: false, onClose: () => ended() });
    onTestFinished(() => client.close());
    const { response } = await server.until(({ method }) => method === 'GET');
    response.end();
    await expect(withTimeout(over, 'the connection to end')).resolves.toBeUndefined();
  });
});

describe('answers of several messages at once', () => {
  const both = (id: unknown): Json[] => [
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'beside' } },
    { jsonrpc: '2.0', id, result: textResult('whole') },
  ];

  it('are taken where the revision has them', async () => {
    const logs: unknown[] = [];
    const server = await scripted(({ message, response }) => {
      if (message.method !== 'tools/call') return false;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(both(message.id)));
    });
    const client = await connect(server.url, {
      protocolVersions: ['2025-03-26'],
      onLog: ({ data }) => logs.push(data),
    });
    onTestFinished(() => client.close());
    expect(toText(await client.tools.call('look'))).toBe('whole');
    expect(logs).toEqual(['beside']);
  });

  it.each(['2025-06-18', '2025-11-25', alone] as const)('are refused at %s', async (revision) => {
    const server = await scripted(({ message, response }) => {
      if (message.method !== 'tools/call') return false;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(both(message.id)));
    });
    const client = await connect(server.url, { protocolVersions: [revision] });
    onTestFinished(() => client.close());
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

it('a session whose server answers its handshake late holds back what may not come before', async () => {
  const server = await scripted(({ message, response }) => {
    if (message.method !== 'notifications/initialized') return false;
    return setImmediate(() => response.writeHead(202).end());
  });
  const client = await connect(server.url, { protocolVersions: [session] });
  onTestFinished(() => client.close());
  await Promise.all([client.tools.call('one'), client.tools.call('two')]);
  expect(methodsOf(server.received)).toEqual([
    'initialize',
    'notifications/initialized',
    'GET',
    'tools/call',
    'tools/call',
  ]);
});
