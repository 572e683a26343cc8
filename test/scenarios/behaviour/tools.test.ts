import { connect, content, createServer, RpcError, rpcError, type ServerOptions, tool, toolResult } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openAt } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { isSince } from '../../kit/version-order.ts';

const annotations = { title: 'Adds', readOnlyHint: true, vendorHint: { cost: 3 } };
const input = z.object({ a: z.number(), b: z.number().default(1) });
const output = z.object({ sum: z.number() });
const wrong = (value: unknown): never => value as never;

const makeServer = (options: ServerOptions = { onError: () => {} }) =>
  createServer(
    {
      name: 'calculator',
      version: '1',
      tools: {
        add: tool(
          { title: 'Add', description: 'Adds two numbers', annotations, inputSchema: input, outputSchema: output },
          ({ a, b }) => ({
            sum: a + b,
          }),
        ),
        plain: tool({}, () => 'words'),
        Plain: tool({}, () => 'WORDS'),
        broken: tool({}, () => {
          throw new Error('the password is hunter2');
        }),
        refusing: tool({}, () => {
          throw rpcError('permission-denied', 'Not for you', { who: 'you' });
        }),
        sorry: tool({}, () => toolResult({ content: [{ type: 'text', text: 'No such city' }], isError: true })),
        numbers: tool({ outputSchema: z.array(z.number()) }, () => [1, 2]),
        liar: tool({ outputSchema: output }, () => wrong({ sum: 'three' })),
        wholeLiar: tool({ outputSchema: output }, () =>
          toolResult({ content: [], structuredContent: { sum: 'three' } }),
        ),
        forgetful: tool({ outputSchema: output }, () => toolResult({ content: [{ type: 'text', text: '3' }] })),
        whole: tool({ outputSchema: output }, () =>
          toolResult({
            content: [{ type: 'text', text: 'three' }],
            structuredContent: { sum: 3 },
            _meta: { 'acme/a': 1 },
          }),
        ),
      },
    },
    options,
  );
const server = makeServer();

describe.each(protocolVersions)('tools at %s', (revision) => {
  const open = () => connect(server, { protocolVersions: [revision] });
  const age = protocolVersions.indexOf(revision);
  const hasStructure = age >= 2;

  it('are declared and listed with all fields of the revision [e-tools-03, e-tools-04, e-tools-08, e-tools-12, e-schema-34, s-tools-05, s-tools-07, s-tools-36, s-tools-36@2025-03-26]', async () => {
    const client = await open();
    expect(client.capabilities.tools).toEqual({ listChanged: true });
    const tools = await client.tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(server.features.tools ?? {}));
    const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } } };
    const promised = expect.objectContaining({ required: ['sum'] });
    const add = {
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: expect.objectContaining({ ...schema, required: ['a'] }),
      ...(age >= 1 && { annotations }),
      ...(hasStructure && { title: 'Add', outputSchema: promised }),
    };
    expect(tools[0]).toEqual(add);
    expect(tools.every(({ inputSchema }) => inputSchema.type === 'object')).toBe(true);
    const roots = tools.flatMap(({ outputSchema }) => (outputSchema === undefined ? [] : [outputSchema.type]));
    const array = isSince(revision, '2026-07-28') ? 'array' : 'object';
    expect(roots).toEqual(hasStructure ? ['object', array, 'object', 'object', 'object', 'object'] : []);
  });

  it('are listed the same on every connection, whatever was requested before [e-tools-06]', async () => {
    const [one, other] = [await open(), await open()];
    const before = await one.tools.list().all();
    await one.tools.call('plain');
    await one.tools.call('broken');
    expect(await one.tools.list().all()).toEqual(before);
    expect(await other.tools.list().all()).toEqual(before);
  });

  it('return structured content, and the same as text [e-tools-27, e-schema-32, s-tools-18]', async () => {
    const { content, structuredContent } = await (await open()).tools.call('add', { a: 2 });
    expect(content).toEqual([{ type: 'text', text: '{"sum":3}' }]);
    expect(structuredContent).toEqual(hasStructure ? { sum: 3 } : undefined);
  });

  it('return any JSON as structured content, wrapped in an object where the revision requires one [e-tools-28]', async () => {
    const client = await open();
    const { structuredContent } = await client.tools.call('numbers');
    expect(structuredContent).toEqual(hasStructure ? [1, 2] : undefined);
    const carried = await client.request('tools/call', { name: 'numbers' });
    expect(carried.structuredContent).toEqual(
      isSince(revision, '2026-07-28') ? [1, 2] : hasStructure ? { value: [1, 2] } : undefined,
    );
  });

  it.each(['liar', 'wholeLiar', 'forgetful'] as const)(
    'never return output that violates the schema: %s fails instead [e-tools-29, s-tools-19]',
    async (name) => {
      const failures: unknown[] = [];
      const strict = makeServer({ onError: (_error, { target }) => failures.push(target) });
      const client = await connect(strict, { protocolVersions: [revision] });
      const result = await client.tools.call(name);
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(result.structuredContent).toBeUndefined();
      expect(failures).toEqual([name]);
    },
  );

  it('may return the whole result, which is validated and sent unchanged', async () => {
    const result = await (await open()).tools.call('whole');
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'three' }], _meta: { 'acme/a': 1 } });
    expect(result.structuredContent).toEqual(hasStructure ? { sum: 3 } : undefined);
  });

  it('report failures and invalid arguments as results, unknown tools as errors [e-tools-31, e-tools-32, s-tools-21, s-tools-22, s-tools-23, s-tools-26]', async () => {
    const client = await open();
    const broken = await client.tools.call('broken');
    expect(broken.isError).toBe(true);
    expect(JSON.stringify(broken)).not.toContain('hunter2');
    expect(await client.tools.call('sorry')).toEqual({
      content: [{ type: 'text', text: 'No such city' }],
      isError: true,
    });
    const invalid = await client.request('tools/call', { name: 'add', arguments: { a: 'two' } });
    expect(invalid).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('a') }] });
    await expect(client.request('tools/call', { name: 'divide' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.tools.call('refusing')).rejects.toMatchObject({ code: -31403, data: { who: 'you' } });
  });

  it('have case-sensitive names [e-tools-17, s-tools-11]', async () => {
    const client = await open();
    expect((await client.tools.call('Plain')).content).toEqual([{ type: 'text', text: 'WORDS' }]);
    await expect(client.request('tools/call', { name: 'PLAIN' })).rejects.toBeInstanceOf(RpcError);
  });

  it('validate by the keywords of their schemas, and handlers get the defaults [S40]', async () => {
    const schema = {
      type: 'object',
      properties: {
        unit: { enum: ['celsius', 'kelvin'], default: 'celsius' },
        when: { type: 'string', format: 'date' },
        days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
      },
    };
    const seen: unknown[] = [];
    const forecast = tool({ inputSchema: fromJsonSchema(schema) }, (given) => {
      seen.push(given);
      return 'fine';
    });
    const strict = createServer({ name: 's', version: '1', tools: { forecast } });
    const client = await connect(strict, { protocolVersions: [revision] });
    expect(await client.request('tools/call', { name: 'forecast' })).not.toHaveProperty('isError');
    const bad = [{ unit: 'rankine' }, { when: 'tomorrow' }, { days: 0 }, { days: 8 }, { days: 1.5 }];
    for (const given of bad) {
      const result = await client.request('tools/call', { name: 'forecast', arguments: given });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(Object.keys(given)[0] ?? '') }],
      });
    }
    expect(seen).toEqual([{ unit: 'celsius', days: 3 }]);
  });

  it('are added and removed while clients are connected, and clients are notified [S05, e-tools-11, s-tools-06]', async () => {
    const changing = createServer({ name: 's', version: '1', tools: { one: tool({}, () => '1') } });
    const client = await connect(changing, { protocolVersions: [revision] });
    const changes = await client.subscribe({ toolsListChanged: true });
    const iterator = changes[Symbol.asyncIterator]();
    await client.tools.list().all();
    changing.update(({ tools }) => {
      tools.two = tool({}, () => '2');
    });
    expect((await iterator.next()).value).toEqual({ type: 'tools' });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['one', 'two']);
    changing.update(({ tools }) => {
      delete tools.one;
    });
    expect((await iterator.next()).value).toEqual({ type: 'tools' });
    expect((await client.request('tools/call', { name: 'two' })).content).toEqual([{ type: 'text', text: '2' }]);
    await expect(client.request('tools/call', { name: 'one' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('may be an empty list [e-tools-05]', async () => {
    const client = await connect(createServer({ name: 's', version: '1', tools: {} }), {
      protocolVersions: [revision],
    });
    expect(await client.tools.list().all()).toEqual([]);
  });

  it('are an unknown method where the server has none, as are resources, prompts and completions', async () => {
    const { ask, send, settled } = await openAt(createServer({ name: 's', version: '1' }), revision);
    const methods = [
      ['tools/list', {}],
      ['tools/call', { name: 'x' }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'a://b' }],
      ['prompts/list', {}],
      ['prompts/get', { name: 'x' }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } }],
    ] as const;
    methods.forEach(([method, params], id) => send(ask(id, method, params)));
    const codes = (await settled()).map(({ error }) => (error as { code: number }).code);
    expect(codes).toEqual(methods.map(() => -32601));
  });

  it('need the capability before a client sends anything', async () => {
    const client = await connect(createServer({ name: 's', version: '1' }), { protocolVersions: [revision] });
    const missing = { code: 'capability-not-supported' };
    await expect(client.tools.list().all()).rejects.toMatchObject(missing);
    await expect(client.request('tools/list')).rejects.toMatchObject(missing);
    await expect(client.tools.call('x')).rejects.toMatchObject(missing);
    await expect(client.resources.read('a://b')).rejects.toMatchObject(missing);
    await expect(client.prompts.get('x')).rejects.toMatchObject(missing);
  });
});

describe.each(protocolVersions.slice(2))('a client that validates output at %s', (revision) => {
  const promised = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const listed = (outputSchema: object, name = 'count') => ({ name, inputSchema: { type: 'object' }, outputSchema });

  it("refuses output that violates the tool's schema, and passes errors through [e-tools-30, s-tools-20, s-tools-32]", async () => {
    const outputs: unknown[] = [{ n: 1 }, { n: 'one' }, undefined];
    const { client } = scriptedAt(
      revision,
      { tools: {} },
      ({ method, params }) => {
        if (method === 'tools/list') return { tools: [listed(promised)] };
        if ((params as { name: string }).name === 'failing') return { content: [], isError: true };
        const structuredContent = outputs.shift();
        return { content: [], ...(structuredContent !== undefined && { structuredContent }) };
      },
      { jsonSchemaValidator: fromJsonSchema },
    );
    const { tools } = await client;
    expect(await tools.call('count')).toMatchObject({ structuredContent: { n: 1 } });
    await expect(tools.call('count')).rejects.toMatchObject({ code: 'invalid-result', details: { tool: 'count' } });
    await expect(tools.call('count')).rejects.toMatchObject({ code: 'invalid-result' });
    expect(await tools.call('failing')).toMatchObject({ isError: true });
  });

  it('validates against the newest schema, and an unusable schema affects only its own tool', async () => {
    let current: object = promised;
    const { client } = scriptedAt(
      revision,
      { tools: {} },
      ({ method, params }) => {
        if (method === 'tools/list')
          return { tools: [listed(current), listed({ type: 'object', pattern: 5 }, 'unusable')] };
        const { name } = params as { name: string };
        return { content: [], structuredContent: name === 'count' && current === promised ? { n: 1 } : { n: 'one' } };
      },
      { jsonSchemaValidator: fromJsonSchema },
    );
    const { tools } = await client;
    expect(await tools.call('count')).toMatchObject({ structuredContent: { n: 1 } });
    current = { type: 'object', properties: { n: { type: 'string' } } };
    expect(await tools.call('count')).toMatchObject({ structuredContent: { n: 'one' } });
    await expect(tools.call('unusable')).rejects.toMatchObject({ code: 'invalid-schema' });
  });
});

describe.each(protocolVersions)('a slow tool at %s', (revision) => {
  it('is ended by its timeout with an error, and aborted', async () => {
    let received: AbortSignal | undefined;
    const slow = createServer({
      name: 's',
      version: '1',
      tools: {
        wait: tool({ timeoutMs: 1 }, (_given, { signal }) => {
          received = signal;
          return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('late')));
        }),
        quick: tool({ timeoutMs: 60_000 }, () => content({ type: 'text', text: 'here' })),
      },
    });
    const client = await connect(slow, { protocolVersions: [revision] });
    await expect(client.tools.call('wait')).rejects.toMatchObject({ code: -31408 });
    expect(received?.aborted).toBe(true);
    expect(await client.tools.call('quick')).toMatchObject({ content: [{ text: 'here' }] });
  });
});
