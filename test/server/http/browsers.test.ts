/** A browser that opens the endpoint gets a page that says what this is, with the status of before. */
import { createServer, toFetchHandler, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { expect, it } from 'vitest';

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const definition = { name: 'a <b>weather</b> server', version: '1', tools: { now: tool({}, () => 'noon') } };
const get = (headers: Record<string, string>, url = 'http://localhost/mcp') => new Request(url, { headers });

it('names the server, escaped', async () => {
  const handle = toFetchHandler(createServer(definition));
  const plain = await handle(get({ accept: 'application/json' }));
  const page = await handle(get({ accept }));
  expect(page.status).toBe(plain.status);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = await page.text();
  expect(text).toContain('a &#60;b&#62;weather&#60;/b&#62; server');
  expect(text).toContain('Model Context Protocol');
  expect(plain.headers.get('content-type')).toBe('application/json');
});

it('has no name where the server is protected, or the host is refused', async () => {
  const denied = createPolicy('{ version: 1, rules: [] }');
  const guarded = toFetchHandler(createServer(definition, { guard: guard({ policy: denied }) }));
  const authenticated = toFetchHandler(createServer(definition), { authenticate: () => undefined });
  const open = toFetchHandler(createServer(definition));
  const foreign = get({ accept }, 'http://evil.example/mcp');
  const pages = [await guarded(get({ accept })), await authenticated(get({ accept })), await open(foreign)];
  expect(pages.map(({ status }) => status)).toEqual([400, 401, 403]);
  for (const response of pages) {
    const text = await response.text();
    expect(text).toContain('MCP server');
    expect(text).not.toContain('weather');
  }
});

it('only a GET gets it', async () => {
  const handle = toFetchHandler(createServer(definition));
  const post = await handle(
    new Request('http://localhost/mcp', { method: 'POST', headers: { accept: 'text/html' }, body: '{' }),
  );
  expect(post.headers.get('content-type')).toBe('application/json');
});
