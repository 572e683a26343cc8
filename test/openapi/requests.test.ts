/** Arguments become requests: parameters in their styles, bodies by media type. */
import { expect, it } from 'vitest';
import { connected, documentOf, parameter, startApi } from './api.ts';

const any = { schema: {} };
const object = { R: 100, G: 200, B: 150 };
const list = ['blue', 'black', 'brown'];

/** The table of styles of the OpenAPI specification, with what it leaves to RFC 6570 encoded. */
it.each([
  ['query', 'form', true, list, '/x?color=blue&color=black&color=brown'],
  ['query', 'form', false, list, '/x?color=blue,black,brown'],
  ['query', 'form', true, object, '/x?R=100&G=200&B=150'],
  ['query', 'form', false, object, '/x?color=R,100,G,200,B,150'],
  ['query', 'spaceDelimited', false, list, '/x?color=blue%20black%20brown'],
  ['query', 'pipeDelimited', false, list, '/x?color=blue%7Cblack%7Cbrown'],
  ['query', 'deepObject', true, object, '/x?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ['path', 'simple', false, list, '/x/blue,black,brown'],
  ['path', 'simple', true, object, '/x/R=100,G=200,B=150'],
  ['path', 'label', true, list, '/x/.blue.black.brown'],
  ['path', 'label', true, object, '/x/.R=100.G=200.B=150'],
  ['path', 'matrix', false, list, '/x/;color=blue,black,brown'],
  ['path', 'matrix', true, list, '/x/;color=blue;color=black;color=brown'],
  ['path', 'matrix', true, object, '/x/;R=100;G=200;B=150'],
])('a parameter in %s of style %s, explode %s, of %j is %s', async (place, style, explode, value, url) => {
  const api = await startApi();
  const path = place === 'path' ? '/x/{color}' : '/x';
  const parameters = [parameter('color', place, { style, explode, ...any })];
  const { call } = await connected(documentOf({ [path]: { get: { operationId: 'read', parameters } } }), {
    baseUrl: api.url,
  });
  await call('read', { color: value });
  expect(api.received.map((one) => one.url)).toEqual([url]);
});

it('parameters of one name in several places have several arguments, and a header is sent as one', async () => {
  const api = await startApi();
  const parameters = [parameter('id', 'path'), parameter('id', 'query'), parameter('X-Trace', 'header')];
  const { client, call } = await connected(documentOf({ '/a/{id}': { get: { operationId: 'read', parameters } } }), {
    baseUrl: `${api.url}/v1/`,
  });
  const [tool] = await client.tools.list().all();
  expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['path_id', 'query_id', 'X-Trace']);
  await call('read', { path_id: 'ä/1', query_id: 'b&c', 'X-Trace': 'yes' });
  expect(api.received[0]).toMatchObject({
    method: 'GET',
    url: '/v1/a/%C3%A4%2F1?id=b%26c',
    headers: { 'x-trace': 'yes' },
  });
});

const bodyOf = (mediaType: string, schema: unknown, more: object = {}) =>
  documentOf({
    '/b': {
      post: { operationId: 'send', requestBody: { required: true, content: { [mediaType]: { schema, ...more } } } },
    },
  });

it.each([
  ['application/json', { a: [1, null] }, '{"a":[1,null]}'],
  ['application/merge-patch+json', { a: 1 }, '{"a":1}'],
  [
    'application/x-www-form-urlencoded',
    { a: 'b c', list: [1, 2], o: { x: 1 } },
    'a=b%20c&list=1&list=2&o=%7B%22x%22%3A1%7D',
  ],
  ['text/plain', 'hello', 'hello'],
  ['application/octet-stream', 'aGVsbG8=', 'hello'],
])('a body of %s is sent as it', async (mediaType, body, sent) => {
  const api = await startApi();
  const { call } = await connected(bodyOf(mediaType, {}), { baseUrl: api.url });
  await call('send', { body });
  expect(api.received[0]).toMatchObject({ method: 'POST', headers: { 'content-type': mediaType }, body: sent });
});

it('a multipart body has files, which are arguments in Base64', async () => {
  const api = await startApi();
  const schema = {
    type: 'object',
    properties: { photo: { type: 'string', format: 'binary' }, title: { type: 'string' } },
  };
  const { client, call } = await connected(bodyOf('multipart/form-data', schema), { baseUrl: api.url });
  const [tool] = await client.tools.list().all();
  expect(tool?.inputSchema.properties).toMatchObject({
    body: { properties: { photo: { contentEncoding: 'base64' } } },
  });
  await call('send', { body: { photo: Buffer.from('PNG').toString('base64'), title: 'Tea' } });
  const [{ headers, body } = { headers: {}, body: '' }] = api.received;
  expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(body).toMatch(/name="photo"; filename="photo"[^]*PNG[^]*name="title"\r\n\r\nTea/);
});

it('nested objects of a form are written in brackets where the document says so', async () => {
  const api = await startApi();
  const encoding = { card: { style: 'deepObject', explode: true } };
  const { call } = await connected(bodyOf('application/x-www-form-urlencoded', {}, { encoding }), { baseUrl: api.url });
  await call('send', { body: { card: { owner: { name: 'Ada' }, tags: ['a', 'b'] } } });
  expect(decodeURIComponent(api.received[0]?.body ?? '')).toBe('card[owner][name]=Ada&card[tags][]=a&card[tags][]=b');
});

it('a default of the API is shown and not sent, or a PATCH would change more than it names', async () => {
  const api = await startApi();
  const schema = {
    type: 'object',
    properties: { done: { type: 'boolean', default: false }, text: { type: 'string' } },
  };
  const requestBody = { content: { 'application/json': { schema } } };
  const { client, call } = await connected(documentOf({ '/t': { patch: { operationId: 'change', requestBody } } }), {
    baseUrl: api.url,
  });
  const [tool] = await client.tools.list().all();
  expect(tool?.inputSchema.properties).toMatchObject({ body: { properties: { done: { default: false } } } });
  await call('change', { body: { text: 'Tea' } });
  expect(api.received[0]?.body).toBe('{"text":"Tea"}');
});

it('arguments that the schema refuses, or that the API does not have, are not sent', async () => {
  const api = await startApi();
  const parameters = [parameter('n', 'query', { schema: { type: 'integer' } })];
  const { call } = await connected(documentOf({ '/n': { get: { operationId: 'read', parameters } } }), {
    baseUrl: api.url,
  });
  await expect(call('read', { n: 'many' })).resolves.toMatchObject({ isError: true });
  await expect(call('read', { m: 1 })).resolves.toMatchObject({ isError: true });
  expect(api.received).toEqual([]);
});

it('a fixed header replaces the parameter, and is sent with every request', async () => {
  const api = await startApi();
  const parameters = [parameter('X-Tenant', 'header', { required: true })];
  const { client, call } = await connected(documentOf({ '/n': { get: { operationId: 'read', parameters } } }), {
    baseUrl: api.url,
    headers: { 'X-Tenant': 'acme' },
  });
  const [tool] = await client.tools.list().all();
  expect(tool?.inputSchema).toMatchObject({ properties: {} });
  await call('read');
  expect(api.received[0]?.headers).toMatchObject({ 'x-tenant': 'acme' });
});
