/** How a client negotiates the revision and the transport over HTTP. */

import { connect, toText } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
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
    ['a 400 with plain text', (one: Received) => one.response.writeHead(400).end('Bad Request: no session')],
    ['an error of its own', (one: Received) => refuse(one.response, 400, { code: -32000, message: 'Bad Request' })],
    ['an unknown method', (one: Received) => refuse(one.response, 404, { code: -32601, message: 'Method not found' })],
    ['an empty 404', (one: Received) => refuse(one.response, 404)],
    ['a 405', (one: Received) => refuse(one.response, 405)],
    ['a 202', (one: Received) => one.response.writeHead(202).end()],
    ['a closed connection', (one: Received) => one.response.destroy()],
  ])('and answers with %s gets a handshake [e-http-81, e-http-82, e-http-84]', async (_name, script) => {
    const server = await scripted((one) => (discovers(one) ? script(one) : false));
    expect((await opened(server.url)).protocolVersion).toBe(session);
    expect(methodsOf(server.received).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });
});

it('a server that once did not answer discovery gets it again on the next connection', async () => {
  let isSilent = true;
  const server = await scripted((one) => (isSilent && discovers(one) ? undefined : false));
  const silent = await connect(server.url, { reconnect: false, timeouts: withFixed({}, { discoveryMs: 50 }) });
  expect(silent.protocolVersion).toBe(session);
  await silent.close();
  isSilent = false;
  expect((await opened(server.url)).protocolVersion).toBe(alone);
});

describe('a server that was discovered and is replaced by an older one', () => {
  it.each([
    ['an empty 404', (one: Received) => refuse(one.response, 404)],
    ['an empty 400', (one: Received) => refuse(one.response, 400)],
    [
      'an error about a missing session',
      (one: Received) => refuse(one.response, 400, { code: -32000, message: 'No session' }),
    ],
    [
      'its revisions',
      (one: Received) =>
        refuse(one.response, 400, { code: -32022, message: 'No', data: { supported: [session], requested: alone } }),
    ],
  ])('and answers with %s is negotiated with again, and the call is sent in the new session', async (_name, script) => {
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

  it('is subscribed to again by a client that makes no calls', async () => {
    let isOld = false;
    let completeListen = (): void => {};
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
      completeListen = () => out.end(event({ id, result: { resultType: 'complete', _meta } }));
    });
    const client = await connect(server.url, { reconnect: { initialDelayMs: 1 } });
    onTestFinished(() => client.close());
    const changes = await client.subscribe({ toolsListChanged: true });
    isOld = true;
    completeListen();
    const next = changes[Symbol.asyncIterator]().next();
    expect(await withTimeout(next, 'a change')).toEqual({ done: false, value: { type: 'tools' } });
    expect(client.protocolVersion).toBe(session);
  });

  it('is not negotiated with again while it can be discovered: the refused call gets its error', async () => {
    const server = await scripted((one) => one.message.method === 'tools/call' && refuse(one.response, 400));
    const client = await opened(server.url);
    await expect(client.tools.call('a')).rejects.toMatchObject({ code: 'http-error' });
    expect(server.posted('tools/call')).toHaveLength(1);
    expect(client.connection.state).toBe('ready');
  });
});

describe.each([502, 504])('a call that a gateway answers with %i', (status) => {
  /** A server behind a gateway that fails the first request of each method. */
  const behindGateway = () => {
    const seen = new Set<unknown>();
    return scripted(({ message: { method }, response }) => {
      if ((method !== 'tools/call' && method !== 'tools/list') || seen.has(method)) return false;
      seen.add(method);
      return refuse(response, status);
    });
  };

  it('may have run, and is not sent again by default', async () => {
    const server = await behindGateway();
    const client = await opened(server.url);
    const error = { code: 'outcome-unknown', cause: { code: 'server-unavailable', details: { status } } };
    await expect(client.tools.call('pay')).rejects.toMatchObject(error);
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('is sent again if it is retryable or a list', async () => {
    const server = await behindGateway();
    const client = await opened(server.url);
    expect(await client.tools.call('pay', {}, { retryable: true })).toMatchObject(textResult('done'));
    expect(await client.tools.list().all()).toEqual([]);
    expect(server.posted('tools/call')).toHaveLength(2);
    expect(server.posted('tools/list')).toHaveLength(2);
  });
});

describe('a server that supports exchanges and refuses', () => {
  it('the revision is used at the one it names [e-http-83]', async () => {
    const server = await scripted(
      (one) =>
        one.message.method === 'server/discover' &&
        server.received.length === 1 &&
        refuse(one.response, 400, { code: -32022, message: 'No', data: { supported: [session], requested: alone } }),
    );
    expect((await opened(server.url)).protocolVersion).toBe(session);
    expect(server.posted('initialize')).toHaveLength(1);
  });

  it('the headers gets no handshake [e-http-82, e-http-83]', async () => {
    const server = await scripted(
      (one) => discovers(one) && refuse(one.response, 400, { code: -32020, message: 'Header mismatch' }),
    );
    await expect(opened(server.url)).rejects.toMatchObject({ code: -32020 });
    expect(server.posted('initialize')).toEqual([]);
  });
});

describe.each([400, 404, 405])('an HTTP+SSE server that answers POST with %i', (status) => {
  /** Accepts POSTs with 202, and answers on the stream. */
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
      const initializeResult = {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'o', version: '1' },
      };
      out?.write(
        `event: message\n${event({ id, result: message.method === 'initialize' ? initializeResult : textResult('old') })}`,
      );
    });
  };

  it('is detected by GET, and gets POSTs at its endpoint [e-http-91, s-sse-legacy-02, s-sse-legacy-03, s-sse-legacy-206@2024-11-05]', async () => {
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

  it('closes the connection when it closes its stream', async () => {
    const server = await oldServer();
    let onClose = (): void => {};
    const closed = new Promise<void>((resolve) => (onClose = resolve));
    const client = await connect(server.url, { reconnect: false, onClose: () => onClose() });
    onTestFinished(() => client.close());
    const { response } = await server.until(({ method }) => method === 'GET');
    response.end();
    await expect(withTimeout(closed, 'the connection to close')).resolves.toBeUndefined();
  });
});

describe('batch responses', () => {
  const both = (id: unknown): Json[] => [
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'beside' } },
    { jsonrpc: '2.0', id, result: textResult('whole') },
  ];

  it('are accepted if the revision has them', async () => {
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

  it.each(['2025-06-18', '2025-11-25', alone] as const)('are rejected at %s', async (revision) => {
    const server = await scripted(({ message, response }) => {
      if (message.method !== 'tools/call') return false;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(both(message.id)));
    });
    const client = await connect(server.url, { protocolVersions: [revision] });
    onTestFinished(() => client.close());
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

it('a session whose server answers the handshake late queues the calls that must come after it', async () => {
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
    'GET',
    'tools/call',
    'tools/call',
  ]);
});
