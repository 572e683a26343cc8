/** Documents: real ones, how they are loaded, and which of their operations are served under which names. */
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { connect, createServer, serveHttp } from '../../src/node/index.ts';
import { loadOpenApi, type OmittedOperation, openapiServer } from '../../src/openapi/index.ts';
import { eachProtocolVersion, protocolVersions } from '../../src/test/index.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { connected, documentOf, json, loopback, parameter, startApi } from './api.ts';

const examples = new URL('../../node_modules/@readme/oas-examples/', import.meta.url);
const files = ['3.0/json', '3.0/yaml', '3.1/json', '3.1/yaml'].flatMap((folder) =>
  readdirSync(new URL(folder, examples)).flatMap((name) => (/\.(?:json|yaml)$/.test(name) ? `${folder}/${name}` : [])),
);

/** These have only webhooks. */
const isEmpty = (name: string): boolean => name.includes('webhooks');

async function compile(name: string) {
  const document = await loadOpenApi(new URL(name, examples));
  const reasons: string[] = [];
  const onOmitted = ({ reason }: OmittedOperation): number => reasons.push(reason);
  const server = openapiServer(document, { baseUrl: 'https://api.example.com', auth: () => ({}), onOmitted });
  return { names: namesIn(server), reasons };
}

const namesIn = (server: { features: { tools?: object } }): string[] => Object.keys(server.features.tools ?? {});

it.each(files.filter((name) => !isEmpty(name)))(
  'the document %s compiles, and what is left out has a reason',
  async (name) => {
    const { names, reasons } = await compile(name);
    expect(names.length).toBeGreaterThan(0);
    expect(reasons.filter((reason) => !/its server|not a plain path/.test(reason))).toEqual([]);
  },
);

it.each(files.filter(isEmpty))('the document %s has no operations', async (name) => {
  await expect(compile(name)).rejects.toMatchObject({ code: 'invalid-openapi' });
});

async function folderOf(contents: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'api/parts'), { recursive: true });
  for (const [name, text] of Object.entries(contents)) await writeFile(join(folder, name), text);
  return folder;
}

const yaml = (schema: string): string => `
openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
servers: [{ url: 'https://pets.example' }]
paths:
  /pets:
    post:
      operationId: add
      requestBody: { content: { application/json: { schema: { $ref: '${schema}' } } } }
  /ok: { get: { operationId: ok } }
`;

const parts = {
  'api/parts/pet.yaml': 'Pet: { type: object, properties: { friend: { $ref: "#/Pet" }, toy: { $ref: "toy.json" } } }',
  'api/parts/toy.json': '{ "type": "string", "enum": ["ball"] }',
};

it('references to other files are followed only if that was asked for, recursive ones too', async () => {
  const folder = await folderOf({ ...parts, 'api/api.yaml': yaml('parts/pet.yaml#/Pet') });
  const path = join(folder, 'api/api.yaml');
  expect(namesIn(openapiServer(await loadOpenApi(path)))).toEqual(['ok']);
  const document = await loadOpenApi(pathToFileURL(path), { externalReferences: true });
  const { client } = await connected(document, {});
  const [tool] = await client.tools.list().all();
  expect(tool?.inputSchema.$defs).toEqual({
    Pet: { type: 'object', properties: { friend: { $ref: '#/$defs/Pet' }, toy: { $ref: '#/$defs/toy.json' } } },
    'toy.json': { type: 'string', enum: ['ball'] },
  });
});

it.each([
  ['../secret.yaml#/Pet', 'path-not-allowed'],
  ['file:///etc/passwd', 'path-not-allowed'],
  ['https://evil.example/pet.json', 'invalid-openapi'],
  ['parts/none.yaml', 'file-not-found'],
])('the reference %s leads out of the folder or to nothing, and the document is refused', async (reference, code) => {
  const folder = await folderOf({ 'secret.yaml': 'Pet: {}', 'api/api.yaml': yaml(reference) });
  await expect(loadOpenApi(join(folder, 'api/api.yaml'), { externalReferences: true })).rejects.toMatchObject({ code });
});

it('a document of a URL has its servers and references beside it, and other origins are refused', async () => {
  const other = await startApi();
  const documents: Record<string, unknown> = {
    '/docs/api.json': {
      ...documentOf({ '/x': { get: { operationId: 'read', parameters: [{ $ref: 'p.json' }] } } }),
      servers: [{ url: '../v2' }],
    },
    '/docs/p.json': parameter('q', 'query'),
    '/docs/away.json': documentOf({ '/x': { get: { parameters: [{ $ref: `${other.url}/p.json` }] } } }),
  };
  const api = await startApi(({ url }, response) => json(response, documents[url] ?? { ok: true }));
  const options = { allowedNetworks: loopback, externalReferences: true };
  const { call } = await connected(await loadOpenApi(`${api.url}/docs/api.json`, options), {});
  await call('read', { q: 'a' });
  expect(api.received.map(({ url }) => url)).toEqual(['/docs/api.json', '/docs/p.json', '/v2/x?q=a']);
  await expect(loadOpenApi(`${api.url}/docs/away.json`, options)).rejects.toMatchObject({ code: 'invalid-openapi' });
  await expect(loadOpenApi(`${api.url}/docs/api.json`)).rejects.toMatchObject({ code: 'url-not-allowed' });
  expect(other.received).toEqual([]);
});

it.each([
  ['swagger.json', '{ "swagger": "2.0" }', 'invalid-openapi', /Swagger 2\.0 is not supported\. Convert/],
  ['old.json', '{ "openapi": "2.9.9" }', 'invalid-openapi', /The version 2\.9\.9 is not supported/],
  ['none.yaml', 'a: 1', 'invalid-openapi', /no field "openapi"/],
  ['text.yaml', 'a: [', 'invalid-openapi', /text\.yaml is neither JSON nor YAML/],
  ['list.json', '[1]', 'invalid-openapi', /is not an object/],
  [
    'aliases.yaml',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
    'invalid-openapi',
    /neither JSON nor YAML: Excessive alias count/,
  ],
  ['large.json', `{ "openapi": "3.1.0", "x": "${'x'.repeat(1000)}" }`, 'file-too-large', /./],
])('%s is refused by name', async (name, text, code, message) => {
  const folder = await folderOf({ [name]: text });
  const failure = loadOpenApi(join(folder, name), { maxDocumentBytes: 1000 });
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

it('more files than maxFiles are refused', async () => {
  const folder = await folderOf({ ...parts, 'api/api.yaml': yaml('parts/pet.yaml#/Pet') });
  const options = withFixed({ externalReferences: true }, { maxFiles: 2 });
  await expect(loadOpenApi(join(folder, 'api/api.yaml'), options)).rejects.toMatchObject({ code: 'invalid-openapi' });
});

const baseUrl = 'https://api.example.com';

it('names are those of the operations in allowed characters; equal and long ones get a digest', () => {
  const long = `x${'y'.repeat(80)}`;
  const document = documentOf({
    '/a/{b}': {
      get: { parameters: [parameter('b', 'path')] },
      put: { operationId: 'repos/get a', parameters: [parameter('b', 'path')] },
    },
    '/c': { get: { operationId: 'same' }, post: { operationId: 'same' }, delete: { operationId: long } },
  });
  const names = namesIn(openapiServer(document, { baseUrl }));
  expect(names.map((name) => name.replace(/_[0-9a-f]{10}$/, '_#'))).toEqual([
    'get_a_b',
    'repos_get_a',
    'same_#',
    'same_#',
    `${long.slice(0, 53)}_#`,
  ]);
  expect(new Set(names).size).toBe(5);
  expect(
    namesIn(openapiServer(document, { baseUrl, name: ({ method, path }) => `${method}-${path.length}` })),
  ).toContain('delete-2');
});

const shop = documentOf({
  '/pets': { get: { operationId: 'list', tags: ['pets'] }, post: { operationId: 'add', tags: ['pets'] } },
  '/pets/admin': { delete: { operationId: 'clear', tags: ['admin', 'pets'] } },
  '/orders': { get: { operationId: 'orders', tags: ['orders'] } },
});

it.each([
  [{ include: [{ tags: ['pets'] }] }, ['list', 'add', 'clear']],
  [{ include: [{ tags: ['pets'], methods: ['get'] }, { ids: ['orders'] }] }, ['list', 'orders']],
  [{ include: [{ paths: ['/pets*'] }], exclude: [{ tags: ['admin'] }] }, ['list', 'add']],
  [{ exclude: [{ methods: ['get'] }] }, ['add', 'clear']],
])('%j selects %j', (options, names) => {
  expect(namesIn(openapiServer(shop, { baseUrl, ...options }))).toEqual(names);
});

it('a filter that matches nothing is misspelt', () => {
  const make = () => openapiServer(shop, { baseUrl, include: [{ tags: ['pet'] }] });
  expect(make).toThrow(/include\[0\]\.tags must name something of the document: it has no "pet", but "pets"/);
});

it('more operations than maxOperations are refused with their tags', () => {
  const make = () => openapiServer(shop, { baseUrl, maxOperations: 2 });
  expect(make).toThrow(/has 4 operations, and maxOperations is 2\. The largest tags are pets \(3\), admin \(1\)/);
});

it('an operation that was asked for by its ID and cannot be a tool is an error', () => {
  const document = documentOf({ '/a/{b}': { get: { operationId: 'a' } }, '/ok': { get: {} } });
  const make = () => openapiServer(document, { baseUrl, include: [{ ids: ['a'] }] });
  expect(make).toThrow(/GET \/a\/\{b\} cannot be a tool: its path has \{b\}, which no parameter declares/);
});

it.each([
  [undefined, {}, /names no server\. Set baseUrl/],
  [[{ url: '/v1' }], {}, /is not a whole URL\. Set baseUrl/],
  [[{ url: 'https://{region}.example.com' }], {}, /variables\.region must be set/],
  [
    [{ url: 'https://{r}.example.com', variables: { r: { default: 'eu', enum: ['eu'] } } }],
    { variables: { r: 'evil.example/' } },
    /must be one of eu/,
  ],
  [[{ url: 'ftp://example.com' }], {}, /is not a whole URL/],
])('servers %j with %j are refused', (servers, options, message) => {
  expect(() => openapiServer(documentOf({ '/x': { get: {} } }, { servers }), options)).toThrow(message);
});

it('nullable, exclusive bounds and read-only properties of 3.0 are in the words of JSON Schema', async () => {
  const schema = {
    type: 'object',
    required: ['id', 'n'],
    properties: {
      id: { type: 'string', readOnly: true },
      n: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true, example: 3 },
      e: { type: 'string', nullable: true, enum: ['a'] },
      a: { nullable: true, allOf: [{ $ref: '#/components/schemas/A' }] },
      r: { $ref: '#/components/schemas/A', description: 'ignored' },
    },
  };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const document = {
    ...documentOf({ '/x': { post: { operationId: 'x', requestBody } } }),
    openapi: '3.0.3',
    components: { schemas: { A: { type: 'string' } } },
  };
  const { client } = await connected(document, { baseUrl });
  const [tool] = await client.tools.list().all();
  const ref = { $ref: '#/$defs/A' };
  const body = {
    type: 'object',
    required: ['n'],
    properties: {
      n: { type: ['integer', 'null'], exclusiveMinimum: 0 },
      e: { type: ['string', 'null'], enum: ['a', null] },
      a: { anyOf: [{ allOf: [ref] }, { type: 'null' }] },
      r: ref,
    },
  };
  expect(tool?.inputSchema.properties).toEqual({ body });
});

it('is served in every protocol version, with the hints of its methods', async () => {
  const api = await startApi();
  const document = documentOf({ '/x': { get: { operationId: 'read' }, delete: { operationId: 'clear' } } });
  const server = openapiServer(document, { baseUrl: api.url, allowedNetworks: loopback });
  const seen: unknown[] = [];
  for await (const { client } of eachProtocolVersion(server)) {
    seen.push((await client.tools.list().all()).map(({ annotations }) => annotations));
    expect((await client.tools.call('read', {})).content).toMatchObject([{ text: '{"ok":true}' }]);
  }
  expect(api.received).toHaveLength(protocolVersions.length);
  const hints = [
    { readOnlyHint: true, openWorldHint: true },
    { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: true },
  ];
  expect(seen.at(-1)).toEqual(hints);
});

it('is mounted in another server, and served over HTTP', async () => {
  const api = await startApi();
  const pets = openapiServer(shop, { baseUrl: api.url, allowedNetworks: loopback });
  const service = await serveHttp(createServer({ name: 'all', version: '1', mounts: { shop: pets } }), { port: 0 });
  onTestFinished(() => service.close());
  const client = await connect(service.url);
  onTestFinished(() => client.close());
  expect((await client.tools.list().all()).map(({ name }) => name)).toContain('shop_orders');
  await client.tools.call('shop_orders', {});
  expect(api.received.map(({ url }) => url)).toEqual(['/orders']);
});
