/** Answers of the API become results. */
import { expect, it } from 'vitest';
import { type Answer, connected, documentOf, json, parameter, startApi } from './api.ts';

const document = documentOf({
  '/things': {
    get: { operationId: 'list', parameters: [parameter('page', 'query', { schema: { type: 'integer' } })] },
  },
  '/things/new': { post: { operationId: 'create' } },
});

async function answering(answer: Answer, options = {}) {
  const api = await startApi(answer);
  return connected(document, { baseUrl: api.url, ...options });
}

it('JSON is structured content, if it is an object, and text', async () => {
  const { call } = await answering((_, response) => json(response, { id: 1 }));
  await expect(call('list')).resolves.toMatchObject({
    content: [{ type: 'text', text: '{"id":1}' }],
    structuredContent: { id: 1 },
  });
});

it('a response without content says so', async () => {
  const { textOf } = await answering((_, response) => response.writeHead(204).end());
  await expect(textOf('create')).resolves.toBe('Done (204, no content).');
});

it('an image is an image, another file a resource', async () => {
  const { call } = await answering((request, response) => {
    const type = request.method === 'GET' ? 'image/png' : 'application/zip';
    response.writeHead(200, { 'content-type': type }).end(Buffer.from([1, 2, 3]));
  });
  await expect(call('list')).resolves.toMatchObject({
    content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }],
  });
  await expect(call('create')).resolves.toMatchObject({ content: [{ type: 'resource', resource: { blob: 'AQID' } }] });
});

it('an error of the API is an error for the model, with its status, its text and when to try again', async () => {
  const { call } = await answering((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"message":"slow down"}');
  });
  const text =
    'The API refused the request: 429 Too Many Requests. It can be tried again after 7 s.\n{"message":"slow down"}';
  await expect(call('list')).resolves.toMatchObject({ isError: true, content: [{ text }] });
});

it('a long text is cut, with its length and the parameter that selects a page', async () => {
  const { textOf, call } = await answering((_, response) => json(response, { text: 'x'.repeat(500) }), {
    maxResultChars: 100,
  });
  await expect(textOf('list')).resolves.toMatch(
    /x\n… The result was cut: it has 511 characters\. Use page to get less at once\.$/,
  );
  expect((await call('list')).structuredContent).toBeUndefined();
});

it('a response over maxResponseBytes is not read to its end, and the model gets the reason', async () => {
  const { call } = await answering(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1000)));
        response.once('drain', write);
      };
      write();
    },
    { maxResponseBytes: 10_000 },
  );
  const { isError, content } = await call('create');
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toMatch(/has more than 10000 bytes\. The API may have carried out the request\./);
});

it('a request over requestTimeoutMs ends, and the model gets the reason', async () => {
  const { textOf } = await answering(() => {}, { requestTimeoutMs: 50 });
  await expect(textOf('list')).resolves.toMatch(/^127\.0\.0\.1:\d+ did not answer within 50 ms\.$/);
});

it('a cancelled call ends its request', async () => {
  let closed: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  let began: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { client } = await answering((_, response) => {
    response.on('close', closed);
    began();
  });
  const control = new AbortController();
  const calling = client.tools.call('list', {}, { signal: control.signal });
  await begun;
  control.abort();
  await expect(calling).rejects.toMatchObject({ code: 'cancelled' });
  await ended;
});

it('the next page of the header Link is in _meta as arguments', async () => {
  const { call } = await answering((_, response) => {
    response.setHeader('link', '</things?page=1>; rel="first", </things?page=3&other=1>; rel="next"');
    json(response, []);
  });
  expect((await call('list'))._meta).toMatchObject({ 'tenon/next': { page: 3 } });
});

it('an API that cannot be reached is an error for the model, without its URL', async () => {
  const { textOf } = await connected(document, { baseUrl: 'http://127.0.0.1:1/secret-path' });
  await expect(textOf('create')).resolves.toBe(
    'The request to 127.0.0.1:1 failed. The API may have carried out the request.',
  );
});
