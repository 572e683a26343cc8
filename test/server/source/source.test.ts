/** A source of features: what callers see and call is theirs, it may wait, refuse and rename, and it gets what belongs to no call. */
import { connect, type ProtocolVersion, serveHttp } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/lib/values/deferred.ts';
import type { SourceCaller } from '../../../src/server/ports/source-caller.ts';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { exchangeVersion, isSession } from '../../kit/version-order.ts';
import { RpcError, remote, sourced } from './caller-source.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const versions = protocolVersions as readonly ProtocolVersion[];
const newestSession = versions.findLast(isSession) as ProtocolVersion;
const bearer = /^Bearer (\w+)$/;

/** Each principal has the tool of its own name. */
const own = ({ principal }: SourceCaller) => (principal === undefined ? [] : [remote(principal.subject)]);

async function served(server: ReturnType<typeof sourced>['server']) {
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => bearer.exec(header('authorization') ?? '')?.[1],
  });
  closing.push(() => service.close());
  return async (user: string, version: ProtocolVersion) => {
    const client = await connect(
      { url: service.url, headers: { authorization: `Bearer ${user}` } },
      { protocolVersions: [version] },
    );
    closing.push(() => client.close());
    return client;
  };
}

describe.each(versions)('A source under %s', (version) => {
  it('gives each caller its own tools, in lists and in calls', async () => {
    const { server, source } = sourced();
    source.tools = own;
    const open = await served(server);
    const [ada, eve] = [await open('ada', version), await open('eve', version)];
    expect((await ada.tools.list().all()).map(({ name }) => name)).toEqual(['ada']);
    expect((await eve.tools.list().all()).map(({ name }) => name)).toEqual(['eve']);
    expect(await ada.tools.call('ada')).toMatchObject({ content: [{ text: 'ada' }] });
    await expect(ada.tools.call('eve')).rejects.toMatchObject({ code: -32602 });
  });

  it('is asked before each request, also before the first answer, and may wait', async () => {
    const { server, source } = sourced();
    const waiting = createDeferred();
    const begun: string[] = [];
    source.load = (_caller, call) => {
      begun.push(call.method);
      return waiting.promise.then(() => call);
    };
    source.tools = () => [remote('late')];
    const connected = connect(server as never, { protocolVersions: [version] });
    await expect.poll(() => begun).toEqual([isSession(version) ? 'initialize' : 'server/discover']);
    waiting.resolve();
    const client = await connected;
    expect(await client.tools.call('late')).toMatchObject({ content: [{ text: 'late' }] });
    expect(begun.at(-1)).toBe('tools/call');
    await client.close();
  });

  it('may refuse a call with its error, and change what is called', async () => {
    const { server, source } = sourced();
    source.tools = () => [remote('real')];
    source.load = (_caller, call) => {
      if (call.params.name === 'none') return new RpcError(-32602, 'not connected');
      return call.params.name === 'alias' ? { ...call, params: { ...call.params, name: 'real' } } : call;
    };
    const client = await connect(server as never, { protocolVersions: [version] });
    await expect(client.tools.call('none')).rejects.toMatchObject({ code: -32602, message: 'not connected' });
    expect(await client.tools.call('alias')).toMatchObject({ content: [{ text: 'real' }] });
    await client.close();
  });

  it('that throws fails the call with an internal error, and onError gets the cause', async () => {
    const errors: unknown[] = [];
    const { server, source } = sourced({ onError: (error) => errors.push(error) });
    const client = await connect(server as never, { protocolVersions: [version] });
    const cause = new Error('no upstream');
    source.load = () => Promise.reject(cause);
    await expect(client.tools.call('any')).rejects.toMatchObject({ code: -32603 });
    source.load = () => {
      throw cause;
    };
    await expect(client.tools.list().all()).rejects.toMatchObject({ code: -32603 });
    expect(errors).toEqual([cause, cause]);
    await client.close();
  });
});

describe('With a guard, a source', () => {
  it('shows callers what they may see of their own tools', async () => {
    const policy = createPolicy('version: 1\nrules: [{ id: a, allow: [list, call], to: any, on: { tool: "open*" } }]');
    const { server, source } = sourced({ guard: guard({ policy }) });
    source.tools = () => [remote('open'), remote('hidden')];
    const client = await connect(server as never);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['open']);
    expect(await client.tools.call('open')).toMatchObject({ content: [{ text: 'open' }] });
    await expect(client.tools.call('hidden')).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});

describe('A source', () => {
  it('has the headers that repeat arguments of its tools checked', async () => {
    const { server, source } = sourced();
    const marked = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    source.tools = () => [remote('deploy', { record: { name: 'deploy', inputSchema: marked } })];
    const service = await serveHttp(server, { port: 0 });
    closing.push(() => service.close());
    const send = async (headers: Record<string, string>) => {
      const response = await fetch(service.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': exchangeVersion,
          'mcp-method': 'tools/call',
          'mcp-name': 'deploy',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'deploy',
            arguments: { region: 'eu' },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': exchangeVersion,
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      return [response.status, ((await response.json()) as { error?: { code: number } }).error?.code];
    };
    expect(await send({ 'mcp-param-region': 'eu' })).toEqual([200, undefined]);
    expect(await send({ 'mcp-param-region': 'us' })).toEqual([400, -32020]);
    expect(await send({})).toEqual([400, -32020]);
  });

  it('that changes the record of a tool does not end a call that waits; one that replaces the tool does', async () => {
    const { server, source } = sourced();
    let description = 'before';
    let fingerprint = 'ask';
    source.tools = () => [
      remote('ask', {
        record: { name: 'ask', description, inputSchema: { type: 'object' } },
        fingerprint,
        forward: (invocation) => {
          const { returned } = invocation.resumption ?? {};
          if (returned === undefined) return invocation.requireInput({ q: { method: 'roots/list' } }, { n: 1 });
          const own = invocation.context.requestState;
          return { resultType: 'complete', result: { content: [], structuredContent: { returned, own } } };
        },
      }),
    ];
    const client = await connect(server as never, {
      protocolVersions: [exchangeVersion],
      handlers: { roots: () => [] },
    });
    closing.push(() => client.close());
    const params = { name: 'ask', arguments: {} };
    const first = (await client.round('tools/call', params)) as { readonly state: string };
    description = 'after';
    const answers = { q: { roots: [], _meta: { kept: true } } };
    const second = await client.round('tools/call', params, { round: { answers, state: first.state } });
    expect(second).toMatchObject({ result: { structuredContent: { returned: answers, own: { n: 1 } } } });
    const third = (await client.round('tools/call', params)) as { readonly state: string };
    fingerprint = 'another tool';
    await expect(client.round('tools/call', params, { round: { answers, state: third.state } })).rejects.toMatchObject({
      code: 'invalid-request-state',
    });
  });
});

/** A raw connection, and how the source sees its session. */
async function sessionOf(version = newestSession, options = {}) {
  const { server, source } = sourced(options);
  let session: SourceCaller | undefined;
  source.load = (caller, call) => {
    if (call.method === 'tools/list') session = caller;
    return call;
  };
  const raw = await openAt(server, version);
  raw.send(raw.ask('first', 'tools/list'));
  await raw.next();
  return { server, source, raw, caller: session as unknown as SourceCaller };
}

const methodsOf = (messages: readonly Json[]) => messages.map(({ method, params }) => [method, params]);

describe.each(versions.filter(isSession))('The session of a caller under %s', (version) => {
  it('is notified of the changes that its source sends it, as of those of the server', async () => {
    const { raw, server, caller } = await sessionOf(version);
    const other = await openAt(server, version);
    raw.send(raw.ask('watch', 'resources/subscribe', { uri: 'notes://a' }));
    await raw.next();
    const { session } = caller.caller;
    session?.changed({ kind: 'tools' });
    for (const uri of ['notes://a', 'notes://b']) session?.changed({ kind: 'resource', uri });
    for (const level of ['debug', 'error'] as const)
      session?.changed({
        kind: 'log',
        level,
        message: { method: 'notifications/message', params: { level, data: 1 } },
      });
    expect(methodsOf(await raw.settled())).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['notifications/resources/updated', { uri: 'notes://a' }],
      ['notifications/message', { level: 'error', data: 1 }],
    ]);
    expect(await other.settled()).toEqual([]);
  });
});

describe('The session of a caller', () => {
  it('notifies its source before it changes, which may refuse a subscription', async () => {
    const { raw, source, caller } = await sessionOf();
    const { session } = caller.caller;
    raw.send(raw.ask('level', 'logging/setLevel', { level: 'error' }));
    raw.send(raw.ask('watch', 'resources/subscribe', { uri: 'notes://a' }));
    raw.send(raw.ask('more', 'resources/subscribe', { uri: 'notes://b' }));
    raw.send(raw.ask('less', 'resources/unsubscribe', { uri: 'notes://b' }));
    await raw.settled();
    expect(source.events).toEqual([
      ['logging/setLevel', 'error'],
      ['resources/subscribe', 'notes://a'],
      ['resources/subscribe', 'notes://b'],
      ['resources/unsubscribe', 'notes://b'],
    ]);
    expect([...(session?.subscribed ?? [])]).toEqual(['notes://a']);
    expect(caller.caller.logLevel).toBe('error');
    source.refuseChange = () => new RpcError(-32602, 'no such resource');
    raw.send(raw.ask('refused', 'resources/subscribe', { uri: 'notes://c' }));
    expect(await raw.next()).toMatchObject({ id: 'refused', error: { code: -32602 } });
    expect([...(session?.subscribed ?? [])]).toEqual(['notes://a']);
  });

  it('is sent requests outside its calls, as far as its client supports them', async () => {
    const { server, source } = sourced();
    const callers: SourceCaller[] = [];
    source.load = (caller, call) => {
      callers.push(caller);
      return call;
    };
    const client = await connect(server as never, {
      protocolVersions: [newestSession],
      clientInfo: { name: 'roots of ada', version: '1' },
      handlers: { roots: () => [{ uri: 'file:///work' }] },
    });
    closing.push(() => client.close());
    await client.tools.list().all();
    const session = callers.at(-1)?.caller.session;
    const { signal } = new AbortController();
    const asked = session?.sendRequest({ method: 'roots/list', params: { _meta: { progressToken: 1 } } }, signal);
    expect(await asked).toMatchObject({ roots: [{ uri: 'file:///work' }] });
    const sampling = { messages: [], maxTokens: 1 };
    await expect(
      session?.sendRequest({ method: 'sampling/createMessage', params: sampling }, signal),
    ).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    await expect(session?.sendRequest({ method: 'vendor/ask' }, signal)).rejects.toMatchObject({
      code: 'invalid-outgoing-message',
    });
    await client.sendRootsListChanged();
    await expect.poll(() => source.events).toEqual([['roots', 'roots of ada']]);
  });

  it('is sent no elicitation outside its calls on a server with a guard, which decides about calls', async () => {
    const policy = createPolicy(
      'version: 1\nrules: [{ id: a, allow: [list, call, elicit], to: any, on: { tool: "*" } }]',
    );
    const { server, source } = sourced({ guard: guard({ policy }) });
    let session: SourceCaller['caller']['session'];
    source.load = ({ caller }, call) => {
      session = caller.session;
      return call;
    };
    const client = await connect(server as never, {
      protocolVersions: [newestSession],
      handlers: { elicitForm: () => ({ action: 'accept', content: {} }), roots: () => [] },
    });
    closing.push(() => client.close());
    await client.tools.list().all();
    const { signal } = new AbortController();
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    await expect(session?.sendRequest({ method: 'elicitation/create', params }, signal)).rejects.toMatchObject({
      reason: 'permission-denied',
    });
    expect(await session?.sendRequest({ method: 'roots/list' }, signal)).toEqual({ roots: [] });
  });
});

describe('A subscription without a session', () => {
  it('follows what the source accepts, gets its changes, and ends there when it ends', async () => {
    const { server, source } = sourced();
    const raw = await openAt(server, exchangeVersion);
    const filter = { toolsListChanged: true, resourceSubscriptions: ['notes://a', 'notes://refused'] };
    raw.send(raw.ask('listen', 'subscriptions/listen', { notifications: filter }));
    expect(await raw.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['notes://a'] } },
    });
    const [receiver] = source.receivers;
    receiver?.changed({ kind: 'tools' });
    receiver?.changed({ kind: 'prompts' });
    receiver?.changed({ kind: 'resource', uri: 'notes://a' });
    expect((await raw.settled()).map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ]);
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'listen' } });
    await raw.settled();
    expect(source.events).toEqual(['closed']);
  });
});

describe('A call of a source that waits for input', () => {
  const asking = (forms: unknown[]) =>
    remote('ask', {
      forward: (invocation) => {
        const { returned } = invocation.resumption ?? {};
        if (returned === undefined)
          return invocation.requireInput(
            { q: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
            1,
          );
        forms.push(returned.q);
        return { resultType: 'complete', result: { content: [] } };
      },
    });

  it('gets the error of a client that refuses, as a value', async () => {
    const { server, source } = sourced();
    const forms: unknown[] = [];
    source.tools = () => [asking(forms)];
    const client = await connect(server as never, {
      protocolVersions: [newestSession],
      handlers: { sample: () => Promise.reject(new RpcError(-1, 'The user said no')) },
    });
    closing.push(() => client.close());
    await client.tools.call('ask');
    expect(forms).toMatchObject([{ code: 'server-request-failed', cause: { code: -1, message: 'The user said no' } }]);
  });

  it('is abandoned where its client cancels it', async () => {
    const { server, source } = sourced();
    source.tools = () => [asking([])];
    const asked = createDeferred();
    const client = await connect(server as never, {
      protocolVersions: [newestSession],
      handlers: {
        sample: () => {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    closing.push(() => client.close());
    const cancel = new AbortController();
    const call = client.tools.call('ask', {}, { signal: cancel.signal });
    await asked.promise;
    cancel.abort('enough');
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => source.events).toMatchObject([['abandoned', 36, expect.stringContaining('cancelled')]]);
  });
});
