/** Hostile arguments, documents and APIs: no other host, no other path, nothing private, bounded work. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openapiServer } from '../../src/openapi/index.ts';
import { createTestConnection } from '../../src/test/index.ts';
import { connected, documentOf, loopback, parameter, startApi } from './api.ts';

const file = documentOf({
  '/users/{id}/files/{name}': {
    get: {
      operationId: 'read',
      parameters: [parameter('id', 'path'), parameter('name', 'path'), parameter('q', 'query')],
    },
  },
});

it.each(['..', '.', '', '../admin', 'a/../../b', '..\\x', '%2e%2e', '%252e%252e/x', '..;x', 'a\u0000', 'a/./b'])(
  'the path value %j is refused before a request',
  async (name) => {
    const api = await startApi();
    const { call } = await connected(file, { baseUrl: api.url });
    await expect(call('read', { id: '1', name })).resolves.toMatchObject({ isError: true });
    expect(api.received).toEqual([]);
  },
);

it('whatever the arguments are, the request has the host and the path of the document', async () => {
  const api = await startApi();
  const { call } = await connected(file, { baseUrl: `${api.url}/v1` });
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('//evil.example', '@evil', '?x', '#', ';', '\r\nHost: evil', '\ud800'),
  );
  await fc.assert(
    fc.asyncProperty(text, text, text, async (id, name, q) => {
      api.received.length = 0;
      await call('read', { id, name, q });
      for (const { url, headers } of api.received) {
        const parts = url.split('?')[0]?.split('/') ?? [];
        expect([parts.length, parts[1], parts[2], parts[4]]).toEqual([6, 'v1', 'users', 'files']);
        expect(decodeURIComponent(parts[3] ?? '')).toBe(id);
        expect(decodeURIComponent(parts[5] ?? '')).toBe(name);
        expect(headers.host).toBe(new URL(api.url).host);
      }
    }),
    { numRuns: 150 },
  );
});

it('a value of a header cannot add another one', async () => {
  const api = await startApi();
  const parameters = [parameter('X-A', 'header')];
  const { textOf } = await connected(documentOf({ '/h': { get: { operationId: 'read', parameters } } }), {
    baseUrl: api.url,
  });
  await expect(textOf('read', { 'X-A': 'a\r\nX-B: b' })).resolves.toMatch(/^The argument X-A cannot be a header/);
  expect(api.received).toEqual([]);
});

it.each(['.evil.example/x', '@evil.example/', '', '/a?admin=1', '/a#b', '/a\\b', '/a b'])(
  'a document with the path %j does not change the host or the query of a request',
  (path) => {
    const document = documentOf({ [path]: { get: { operationId: 'bad' } }, '/ok': { get: { operationId: 'ok' } } });
    const { features } = openapiServer(document, { baseUrl: 'https://api.example.com' });
    expect(Object.keys(features.tools ?? {})).toEqual(['ok']);
  },
);

it('an operation with a server of another origin is left out: its credentials would leave the API', () => {
  const servers = [{ url: 'https://evil.example' }];
  const document = documentOf({
    '/a': { get: { operationId: 'bad', servers } },
    '/b': { servers, get: { operationId: 'worse' } },
    '/ok': { get: {} },
  });
  const { features } = openapiServer(document, { baseUrl: 'https://api.example.com' });
  expect(Object.keys(features.tools ?? {})).toEqual(['get_ok']);
});

it('a private address is not requested unless its network is named, also by a redirect', async () => {
  const api = await startApi();
  const document = documentOf({ '/x': { get: { operationId: 'read' } } });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '2130706433', '[::ffff:127.0.0.1]']) {
    const server = openapiServer(document, { baseUrl: `http://${host}:${new URL(api.url).port}` });
    const { client, close } = await createTestConnection(server);
    await expect(client.tools.call('read', {})).resolves.toMatchObject({ isError: true });
    await close();
  }
  expect(api.received).toEqual([]);
});

it('a redirect to another origin is not followed, and takes no credentials there', async () => {
  const other = await startApi();
  const api = await startApi((_, response) => response.writeHead(307, { location: `${other.url}/steal` }).end());
  const { textOf } = await connected(documentOf({ '/x': { post: { operationId: 'send' } } }), {
    baseUrl: api.url,
    auth: () => ({ 'x-key': 'abcdef' }),
  });
  await expect(textOf('send')).resolves.toMatch(/not on the allow-list/);
  expect(other.received).toEqual([]);
});

it('schemas that are too deep, too many or refer to nothing leave out their operation, and not the document', () => {
  let deep: object = { type: 'string' };
  for (let n = 0; n < 5000; n++) deep = { type: 'array', items: deep };
  const query = (schema: unknown) => ({ get: { parameters: [{ name: 'q', in: 'query', schema }] } });
  const properties = JSON.parse('{ "__proto__": { "type": "string" } }');
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, {}])),
  };
  const document = documentOf(
    {
      '/deep': query(deep),
      '/wide': query(wide),
      '/loop': { get: { parameters: [{ $ref: '#/components/parameters/A' }] } },
      '/gone': query({ $ref: '#/components/schemas/Missing' }),
      '/file': query({ $ref: 'file:///etc/passwd' }),
      '/web': query({ $ref: 'http://169.254.169.254/latest#/x' }),
      '/proto': query({ type: 'object', properties }),
      '/inherited': query({ $ref: '#/components/schemas/constructor' }),
      '/ok': query({ type: 'string' }),
    },
    {
      components: {
        schemas: {},
        parameters: { A: { $ref: '#/components/parameters/B' }, B: { $ref: '#/components/parameters/A' } },
      },
    },
  );
  const omitted: string[] = [];
  const { features } = openapiServer(document, {
    baseUrl: 'https://api.example.com',
    onOmitted: ({ operation, reason }) => omitted.push(`${operation.path}: ${reason}`),
  });
  expect(Object.keys(features.tools ?? {})).toEqual(['get_ok']);
  expect(omitted).toEqual([
    '/deep: its schemas are too large',
    '/wide: its schemas are too large',
    '/loop: its references refer to each other',
    '/gone: the reference #/components/schemas/Missing leads nowhere',
    '/file: the reference file:///etc/passwd leads out of the document, which loadOpenApi() was not asked for',
    '/web: the reference http://169.254.169.254/latest#/x leads out of the document, which loadOpenApi() was not asked for',
    '/proto: a property is named __proto__',
    '/inherited: the reference #/components/schemas/constructor leads nowhere',
  ]);
});

it('a result with a key that no message may have is sent as text', async () => {
  const api = await startApi((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"__proto__":{"a":1}}'),
  );
  const { call } = await connected(documentOf({ '/x': { get: { operationId: 'read' } } }), {
    baseUrl: api.url,
    allowedNetworks: loopback,
  });
  const { content, structuredContent } = await call('read');
  expect(content).toMatchObject([{ text: '{"__proto__":{"a":1}}' }]);
  expect(structuredContent).toBeUndefined();
});

const outcomeOf = (make: () => unknown): unknown => {
  try {
    make();
    return 'served';
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
};

it('mutated documents are served in part, or refused by name', () => {
  const source = JSON.stringify(
    documentOf(
      {
        '/a/{id}': {
          parameters: [parameter('id', 'path')],
          post: {
            operationId: 'a',
            security: [{ key: [] }],
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          },
        },
      },
      {
        servers: [{ url: 'https://{r}.example.com', variables: { r: { default: 'eu', enum: ['eu'] } } }],
        components: {
          schemas: {
            A: { type: 'object', required: ['b'], properties: { b: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
          },
          securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'k' } },
        },
      },
    ),
  );
  const values = fc.constantFrom<unknown>(
    null,
    0,
    '',
    'x',
    [],
    {},
    [null],
    { $ref: '#' },
    { $ref: '#/x' },
    true,
    [[]],
    { a: null },
  );
  const codes = ['served', 'invalid-openapi', 'invalid-argument'];
  fc.assert(
    fc.property(fc.nat(), values, (at, value) => {
      let n = 0;
      const count = source.match(/[:,[]/g)?.length ?? 1;
      const document = JSON.parse(source, (_, one) => (n++ === at % count ? value : one));
      expect(codes).toContain(outcomeOf(() => openapiServer(document, { auth: () => ({}) })));
    }),
    { numRuns: 500 },
  );
});

it('an answer that says it is JSON and is not is text', async () => {
  const api = await startApi((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
  );
  const { textOf } = await connected(documentOf({ '/x': { get: { operationId: 'read' } } }), { baseUrl: api.url });
  await expect(textOf('read')).resolves.toBe('<html>');
});
