/** Callers who write an address, a name or a URI in another way, to get another bucket of a limit or past a rule. */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createServer, prompt, resource, resourceTemplate, serveHttp, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { fromOfficial } from 'tenon/official';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryAudit } from '../../guard/server/kit.ts';
import { call, lone, loneCall, startSession } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

const policy = `version: 1
rules:
  - {id: all, allow: [list, call, read, get, complete, subscribe], to: any, on: any}
  - {id: wipe, deny: [call, list], to: any, on: {tool: wipe}}
  - {id: pay, deny: [call], to: any, on: {tool: pay}, when: 'args.to == "eve"'}
  - {id: secret, deny: [read, subscribe, complete], to: any, on: {resource: "file:///secret/**"}}
  - {id: plan, deny: [get, list], to: any, on: {prompt: plan}}
`;

/** Ways to write the URI of a secret, as handlers, servers of files and clients may read it. */
const secrets = [
  'file:///secret/keys',
  'FILE:///secret/keys',
  'file:///secret/keys?x',
  'file:///secret/keys#x',
  'file:///secret//keys',
  'file:///./secret/keys',
  'file:///a/../secret/keys',
  'file:///%73ecret/keys',
  'file:///secret%2Fkeys',
  'file:///secret%2fkeys',
  'file:///secret\\keys',
  'file:///secret/keys/',
  'file:///secret/',
  'file:///secret\u200b/keys',
  'file:///ſecret/../secret/keys',
  'file:////secret/keys',
  'file://localhost/secret/keys',
  'file:secret/keys',
  'file:///%2E/secret/keys',
  'file:///secret/keys\0',
  ' file:///secret/keys',
  'file:///%252e%252e/secret/keys',
];

async function start(limits?: Parameters<typeof guard>[0]['limits']) {
  const ran: string[] = [];
  const run = (name: string) => () => {
    ran.push(name);
    return name;
  };
  const server = createServer(
    {
      name: 'files',
      version: '1',
      tools: {
        wipe: tool({}, run('wipe')),
        echo: tool({}, run('echo')),
        pay: tool({ inputSchema: z.object({ to: z.string().trim().toLowerCase().normalize('NFKC') }) }, ({ to }) =>
          run(`pay ${to}`)(),
        ),
      },
      resources: { 'file:///secret/keys': resource({ name: 'keys' }, run('keys')) },
      resourceTemplates: { 'file:///{+path}': resourceTemplate({}, ({ path }) => run(`read ${path}`)()) },
      prompts: { plan: prompt({}, run('plan')) },
    },
    { guard: guard({ policy: createPolicy(policy), audit: memoryAudit(), ...(limits && { limits }) }) },
  );
  const service = await serveHttp(server, { port: 0, trustedProxies: ['127.0.0.1'], onWarning() {} });
  onTestFinished(() => service.close());
  const ask = async ({ headers, body }: ReturnType<typeof lone>, more: Record<string, string> = {}): Promise<Json> => {
    const encoded = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /^[\x21-\x7e]*$/.test(String(value)) ? value : `=?base64?${Buffer.from(String(value)).toString('base64')}?=`,
      ]),
    );
    const { text } = await send(service.url, { headers: { ...encoded, ...more }, body });
    return JSON.parse(text) as Json;
  };
  return { url: service.url, server, ask, ran };
}

describe('a denied', () => {
  it.each([
    'wipe',
    'Wipe',
    'WIPE',
    'wipe ',
    ' wipe',
    'wipe\0',
    'wipe\u200b',
    'ｗipe',
    'w\u0131pe',
    'files/wipe',
    'files_wipe',
    'tools/wipe',
    'wip\u0065\u0301',
    '*',
    'wipe*',
    '__proto__',
    'toString',
  ])('tool does not run by the name %j [S23, S24]', async (name) => {
    const { ask, ran } = await start();
    expect((await ask(loneCall(name))).error).toMatchObject({ code: -32602 });
    expect(ran).toEqual([]);
  });

  it.each(['eve', 'EVE', ' eve ', 'ｅve', 'Eve\n', '\u2003eve'])(
    'argument is decided as the handler gets it: %j [S23, S24]',
    async (to) => {
      const { ask, ran } = await start();
      expect(await ask(loneCall('pay', { to }))).toMatchObject({ error: { data: { reason: 'denied' } } });
      expect(ran).toEqual([]);
    },
  );

  it.each(secrets)('resource is not read as %j [S23, S24]', async (uri) => {
    const { ask, ran } = await start();
    expect((await ask(lone('resources/read', { uri }))).error).toBeDefined();
    expect(ran).toEqual([]);
  });

  it.each([
    'notes://h:/keys',
    'notes://@h/keys',
    'notes://:@h/keys',
    'notes://h/keys',
    'notes://h/keys?',
    'notes://h/./keys',
  ])('resource is not read as %j by a handler that reads URIs with URL [S23, S24]', async (uri) => {
    const official = () => {
      const server = new McpServer({ name: 'notes', version: '1' });
      const read = ({ href }: URL) => ({ contents: [{ uri: href, text: 'read' }] });
      server.registerResource('keys', 'notes://h/keys', {}, read);
      server.registerResource('all', new ResourceTemplate('notes://{+path}', { list: undefined }), {}, read);
      return server;
    };
    const server = await fromOfficial(official, {
      guard: guard({
        policy: createPolicy(`version: 1
rules:
  - {id: all, allow: [list, read], to: any, on: any}
  - {id: keys, deny: [list, read], to: any, on: {resource: "notes://h/keys"}}
`),
      }),
    });
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    const { text } = await send(service.url, lone('resources/read', { uri }));
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602 } });
  });

  it('resource is not watched however its URI, or one above it, is written [S23, S24]', async () => {
    const { url, server } = await start();
    const session = await startSession(url, '2025-11-25');
    const open = 'file:///open/a';
    for (const uri of [...secrets, 'file:', 'file:///', 'file:///secret', 'file:///secret/', '', '/', open])
      await session.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } });
    const stream = await session.listen();
    for (const uri of [...secrets, open]) server.sendResourceUpdated(uri);
    await stream.until(() => stream.text().includes(open), 'the change that may be seen');
    const changed = stream.messages().map(({ params }) => (params as Json).uri);
    expect(changed).toEqual([open]);
    stream.cut();
  });

  it('prompt and tool cannot be distinguished from ones that never were [S23, S24]', async () => {
    const { url, ran } = await start();
    const session = await startSession(url, '2025-11-25');
    const get = async (name: string): Promise<string> =>
      (await session.post({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name } })).text.replaceAll(
        name,
        'NAME',
      );
    const used = async (name: string): Promise<string> =>
      (await session.post(call(name))).text.replaceAll(name, 'NAME');
    expect(await get('plan')).toBe(await get('plum'));
    expect(await used('wipe')).toBe(await used('wide'));
    const { text } = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect([text.includes('wipe'), text.includes('echo')]).toEqual([false, true]);
    expect(ran).toEqual([]);
  });
});

describe('a limit by address', () => {
  const isLimited = async (ask: Awaited<ReturnType<typeof start>>['ask'], headers: Record<string, string>) =>
    JSON.stringify((await ask(loneCall('echo'), headers)).error ?? '').includes('limit');

  it.each([
    [
      'of IPv4',
      [
        '203.0.113.9',
        '203.0.113.9:4711',
        '::ffff:203.0.113.9',
        '[::ffff:203.0.113.9]:80',
        '::FFFF:CB00:7109',
        ' 203.0.113.9 ',
        '1.2.3.4, 203.0.113.9',
        '0:0:0:0:0:ffff:203.0.113.9',
      ],
    ],
    [
      'of IPv6',
      [
        '2001:db8::1',
        '2001:DB8::2',
        '[2001:db8::3]:443',
        '2001:0db8:0000:0000:ffff::1',
        '2001:db8::1%eth0',
        '2001:db8:0:0:1:2:3:4',
        '2001:db8::192.0.2.1',
      ],
    ],
    [
      'that is none',
      [
        'unknown',
        '_hidden',
        '203.0.113.009',
        '0xcb007109',
        '3405803785',
        '',
        'x'.repeat(5000),
        '203.0.113.9.',
        '256.1.1.1',
      ],
    ],
  ])('%s is the same however it is written [S24]', async (_of, spellings) => {
    const { ask } = await start({ perAddress: { rate: '1/d', burst: 2 } });
    for (const [at, address] of spellings.entries())
      expect([address, await isLimited(ask, { 'x-forwarded-for': address })]).toEqual([address, at >= 2]);
    const [first = ''] = spellings;
    expect(await isLimited(ask, { forwarded: `for="${first.includes(':') ? `[${first}]` : first}"` })).toBe(true);
  });

  it('of a tool holds for every way to its name [S24]', async () => {
    const { ask, url, ran } = await start({ perTool: { echo: { rate: '1/d', burst: 1, shared: true } } });
    expect(await isLimited(ask, {})).toBe(false);
    for (const from of ['203.0.113.1', '203.0.113.2', 'unknown'])
      expect(await isLimited(ask, { 'x-forwarded-for': from })).toBe(true);
    for (const revision of ['2024-11-05', '2025-03-26', '2025-11-25'])
      expect((await (await startSession(url, revision)).post(call('echo'))).text).toContain('limit');
    const batch = await startSession(url, '2025-03-26');
    const { text } = await batch.post([call('echo', {}, 1), call('echo', {}, 2)]);
    expect(text.split('limit').length).toBeGreaterThan(2);
    expect(ran).toEqual(['echo']);
  });
});
