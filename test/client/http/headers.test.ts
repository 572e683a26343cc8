/** The headers that a client sends, under every revision. */
import { connect, type ProtocolVersion } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { headerValue } from '../../../src/client/http/mirrored-headers.ts';
import { deferred } from '../../kit/deferred.ts';
import {
  alone,
  answer,
  discovery,
  event,
  type Json,
  type Received,
  refuse,
  scripted,
  stream,
} from '../../kit/http/scripted-server.ts';
import { isSince, sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const sessionId = 'a1!~';

/** Answers initialize with a session id. */
const startsSession = ({ message, response }: Received): unknown =>
  message.method === 'initialize' &&
  answer(
    response,
    message.id,
    {
      protocolVersion: (message.params as Json).protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    },
    { 'mcp-session-id': sessionId },
  ) === undefined;

async function opened(url: string, revision: ProtocolVersion, more = {}) {
  const client = await connect({ url, ...more }, { protocolVersions: [revision], reconnect: false });
  onTestFinished(() => client.close());
  return client;
}

describe('a request without a session', () => {
  it('is one POST that accepts JSON and events, and names its revision and its method [e-http-07, e-http-08, e-http-09, e-http-10, e-http-29, e-http-30, e-http-36]', async () => {
    const server = await scripted();
    const client = await opened(server.url, alone);
    await client.tools.list().all();
    await client.tools.call('look');
    expect(server.received.map(({ method, message }) => [method, message.method])).toEqual([
      ['POST', 'server/discover'],
      ['POST', 'tools/list'],
      ['POST', 'tools/call'],
    ]);
    for (const { headers, message, path } of server.received) {
      expect(path).toBe('/mcp');
      expect(headers).toMatchObject({
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': alone,
        'mcp-method': message.method,
      });
      const meta = (message.params as Json)._meta as Json;
      expect(meta['io.modelcontextprotocol/protocolVersion']).toBe(headers['mcp-protocol-version']);
      expect(headers['mcp-session-id']).toBeUndefined();
    }
  });

  it('has its tool, prompt or URI in Mcp-Name, base64-encoded if a header could not carry it [e-http-37, e-http-38, e-http-57]', async () => {
    const server = await scripted();
    const client = await opened(server.url, alone);
    await client.tools.call('look');
    await client.prompts.get('plän');
    await client.resources.read('file:///path/to/file%20name.txt');
    expect(server.received.map(({ headers }) => headers['mcp-name'])).toEqual([
      undefined,
      'look',
      `=?base64?${Buffer.from('plän').toString('base64')}?=`,
      'file:///path/to/file%20name.txt',
    ]);
  });

  it('has the ID of its task in Mcp-Name [ext-tasks-53]', async () => {
    const server = await scripted();
    const client = await opened(server.url, alone);
    await client.tasks.get('t1').catch(() => {});
    await client.tasks.answer('t1', {}).catch(() => {});
    await client.tasks.cancel('t1').catch(() => {});
    expect(server.received.map(({ headers, message }) => [message.method, headers['mcp-name']])).toEqual([
      ['server/discover', undefined],
      ['tasks/get', 't1'],
      ['tasks/update', 't1'],
      ['tasks/cancel', 't1'],
    ]);
  });

  it('sends no GET and no DELETE', async () => {
    const server = await scripted();
    const client = await opened(server.url, alone);
    await client.close();
    expect(server.received.map(({ method }) => method)).toEqual(['POST']);
  });
});

const property = (type: string, header: string): Json => ({ type, 'x-mcp-header': header });
const annotated: Json = {
  name: 'marked',
  inputSchema: {
    type: 'object',
    properties: {
      tenant: property('string', 'Tenant'),
      size: property('integer', 'Size'),
      dry: property('boolean', 'Dry'),
      free: { type: 'string' },
      inner: { type: 'object', properties: { deep: property('string', 'Deep') } },
    },
  },
};
const page = (...tools: Json[]): Json => ({ tools, resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
const lists =
  (...tools: Json[]) =>
  ({ message, response }: Received): unknown =>
    message.method === 'tools/list' && answer(response, message.id, page(...tools)) === undefined;

describe('parameters with x-mcp-header', () => {
  const paramsOf = ({ headers }: Received): Json =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')));

  it('are repeated in headers, each by its type [e-http-40, e-http-41, e-http-54, e-http-55, e-http-56, e-http-62, e-http-68]', async () => {
    const server = await scripted(lists(annotated));
    const client = await opened(server.url, alone);
    await client.tools.list().all();
    await client.tools.call('marked', { tenant: 'a b', size: -7, dry: false, free: 'x', inner: { deep: '' } });
    expect(paramsOf(server.received.at(-1) as Received)).toEqual({
      'mcp-param-tenant': 'a b',
      'mcp-param-size': '-7',
      'mcp-param-dry': 'false',
      'mcp-param-deep': '',
    });
  });

  it('have no header without a value, nor for a number that a header could not represent [e-http-47, e-http-54, e-http-69]', async () => {
    const server = await scripted(lists(annotated));
    const client = await opened(server.url, alone);
    await client.tools.list().all();
    await client.tools.call('marked', { tenant: null, size: 2 ** 60, inner: 'flat' });
    expect(paramsOf(server.received.at(-1) as Received)).toEqual({});
  });

  it('are looked up when a call is refused for a missing header, and the call is sent again once [e-http-63]', async () => {
    const server = await scripted((received) => {
      const { message, headers, response } = received;
      if (message.method !== 'tools/call') return lists(annotated)(received);
      const mismatch = { code: -32020, message: 'The header Mcp-Param-Tenant is missing' };
      return headers['mcp-param-tenant'] === undefined && refuse(response, 400, mismatch) === undefined;
    });
    const client = await opened(server.url, alone);
    expect(await client.tools.call('marked', { tenant: 'a' })).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.received.map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
    await expect(client.tools.call('marked', {})).rejects.toMatchObject({ code: -32020 });
    expect(server.posted('tools/call')).toHaveLength(3);
  });

  it('are no longer looked up when the call has been cancelled', async () => {
    let cursor = 0;
    const controller = new AbortController();
    const stopped = deferred();
    const server = await scripted(({ message, response }) => {
      if (message.method === 'tools/call')
        return refuse(response, 400, { code: -32020, message: 'A header is missing' }) === undefined;
      if (message.method !== 'tools/list') return false;
      // The third page is never answered.
      if (++cursor < 3) return answer(response, message.id, { ...page(), nextCursor: `${cursor}` }) === undefined;
      response.once('close', () => stopped.resolve());
      controller.abort();
      return true;
    });
    const client = await opened(server.url, alone);
    const call = client.tools.call('marked', { tenant: 'a' }, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await stopped.promise;
    expect(server.posted('tools/list')).toHaveLength(3);
  });

  it('with an invalid annotation exclude their tool from the list, and the others stay [e-http-50, e-http-51, e-http-52]', async () => {
    const wrong = (name: string, schema: Json): Json => ({
      name,
      inputSchema: { type: 'object', properties: { a: schema } },
    });
    const warnings: Error[] = [];
    const tools = [
      wrong('empty', property('string', '')),
      wrong('spaced', property('string', 'a b')),
      wrong('number', property('number', 'A')),
      wrong('list', { type: 'array', items: property('string', 'A') }),
      annotated,
    ];
    const inEvents = ({ message, response }: Received): unknown =>
      message.method === 'tools/list' &&
      stream(response).end(event({ id: message.id, result: page(...tools) })) !== undefined;
    for (const script of [lists(...tools), inEvents]) {
      const server = await scripted(script);
      const client = await connect(server.url, {
        protocolVersions: [alone],
        onWarning: (error) => warnings.push(error),
      });
      onTestFinished(() => client.close());
      expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['marked']);
      expect(warnings.splice(0)).toMatchObject(
        ['empty', 'spaced', 'number', 'list'].map((tool) => ({ code: 'invalid-result', details: { tool } })),
      );
    }
  });

  it.each(sessions)('are not sent in headers at %s', async (revision) => {
    const broken = { name: 'odd', inputSchema: { type: 'object', properties: { a: property('number', '') } } };
    const server = await scripted(lists(annotated, broken));
    const client = await opened(server.url, revision);
    expect(await client.tools.list().all()).toHaveLength(2);
    await client.tools.call('marked', { tenant: 'a' });
    const { headers } = server.posted('tools/call')[0] as Received;
    expect(Object.keys(headers).filter((name) => /^mcp-(param|method|name)/.test(name))).toEqual([]);
  });
});

describe('the value of a header', () => {
  it.each([
    ['plain', 'plain'],
    ['with space', 'with space'],
    ['', ''],
    [' outer', '=?base64?IG91dGVy?='],
    ['outer\t', '=?base64?b3V0ZXIJ?='],
    ['ä', '=?base64?w6Q=?='],
    ['a\nb', '=?base64?YQpi?='],
    ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['=?base64?half', '=?base64?half'],
  ])('%j is written %j [e-http-57, e-http-58, e-http-61]', (value, written) => {
    expect(headerValue(value)).toBe(written);
  });
});

const accepts: Readonly<Record<string, string>> = {
  POST: 'application/json, text/event-stream',
  GET: 'text/event-stream',
};

describe.each(sessions)('a session at %s', (revision) => {
  const hasVersion = isSince(revision, '2025-06-18');

  it('sends its id in every later request, and its revision where the revision requires it [s-http-07, s-http-08, s-http-30, s-http-53, s-http-58, s-http-60, s-http-61, s-http-09, s-http-09@2025-03-26]', async () => {
    const server = await scripted(startsSession);
    const client = await opened(server.url, revision);
    await client.tools.call('look');
    await client.close();
    const [first, ...later] = server.received;
    expect(first?.message.method).toBe('initialize');
    expect(first?.headers['mcp-session-id']).toBeUndefined();
    expect(first?.headers['mcp-protocol-version']).toBeUndefined();
    expect(later.map(({ method, message }) => message.method ?? method)).toEqual([
      'notifications/initialized',
      'GET',
      'tools/call',
      'DELETE',
    ]);
    for (const { message } of server.received.filter(({ method }) => method === 'POST')) {
      expect(message).toMatchObject({ jsonrpc: '2.0', method: expect.any(String) });
    }
    for (const { method, headers } of later) {
      expect(headers['mcp-session-id']).toBe(sessionId);
      expect(headers['mcp-protocol-version']).toBe(hasVersion ? revision : undefined);
      expect(headers.accept).toBe(accepts[method]);
    }
  });

  it('has no id if the server sent none, and sends no DELETE', async () => {
    const server = await scripted();
    const client = await opened(server.url, revision);
    await client.tools.call('look');
    await client.close();
    // The second GET asks for /mcp/events, where servers without sessions may have their stream.
    expect(server.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET', 'POST']);
  });
});

describe('headers of the user', () => {
  it.each([alone, '2025-11-25'] as const)('are sent with every request at %s', async (revision) => {
    const server = await scripted(startsSession);
    const client = await opened(server.url, revision, { headers: { Authorization: 'Bearer t', 'X-Own': '1' } });
    await client.tools.call('look');
    await client.close();
    for (const { headers } of server.received)
      expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-own': '1' });
  });

  it('may be a user name and a password in the URL, which are removed from it', async () => {
    const server = await scripted();
    await opened(server.url.replace('//', '//ann:p%20w@'), alone);
    expect(server.received[0]?.headers.authorization).toBe(`Basic ${btoa('ann:p w')}`);
  });

  it.each([
    { url: 'http://127.0.0.1/mcp', headers: { 'a b': 'c' } },
    { url: 'http://127.0.0.1/mcp', headers: { a: 'b\r\nc: d' } },
    { url: 'not an address' },
    { url: 'ftp://example.com/mcp' },
    '/mcp',
  ])('and URLs that are invalid are rejected before anything is sent: %j', async (target) => {
    await expect(connect(target)).rejects.toMatchObject({ code: 'invalid-argument', hint: expect.any(String) });
  });
});

it('a server may answer discovery with an event stream [e-http-16, e-http-24]', async () => {
  const server = await scripted(
    ({ message, response }) =>
      message.method === 'server/discover' &&
      stream(response, ': hold on\n\n').end(event({ id: message.id, result: discovery })) !== undefined,
  );
  expect((await opened(server.url, alone)).protocolVersion).toBe(alone);
});
