/** Callers behind a proxy that try to be taken for the proxy: rules about networks must not allow them what the proxy's network may do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { request as begin } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, serveHttp, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNginx } from '../../../examples/cluster/nginx.ts';
import { freePort, missingPrograms, type Program, startProgram } from '../../../examples/cluster/programs.ts';
import { memoryAudit } from '../../guard/server/kit.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** The proxy connects from 127.0.0.1; its clients have other addresses. */
const text = `
version: 1
rules:
  - { id: near, allow: [list, call], to: { network: 127.0.0.1 }, on: { tool: near } }
  - { id: not-far, allow: [list, call], to: any, on: { tool: not_far }, when: '!address.startsWith("127.0.0.2")' }
  - { id: anyone, allow: [list, call], to: any, on: { tool: anyone } }
`;

async function serveBehindProxy() {
  const audit = memoryAudit();
  const answer = tool({}, () => 'reached');
  const tools = { near: answer, not_far: answer, anyone: answer };
  const guarded = guard({ policy: createPolicy(text), audit });
  const server = createServer({ name: 'networks', version: '1.0.0', tools }, { guard: guarded });
  const trustedProxies = ['127.0.0.1'];
  const { url, port, close } = await serveHttp(server, { port: 0, trustedProxies, onWarning() {} });
  onTestFinished(close);
  return { url, port, audit };
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Calls a tool with these headers after its own, from an address of this machine. */
async function callTool(url: string, name: string, more: Pairs, localAddress = '127.0.0.1') {
  const { headers, body } = loneCall(name);
  const content = JSON.stringify(body);
  const own = {
    host: new URL(url).host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(content)),
    ...headers,
  };
  const all = [...Object.entries(own), ...more].flatMap(([key, value]) => [key, String(value)]);
  const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = begin(url, { method: 'POST', headers: all, agent: false, localAddress }, async (response) => {
      let received = '';
      for await (const chunk of response.setEncoding('utf8')) received += chunk;
      resolve({ status: response.statusCode, text: received });
    });
    sent.once('error', reject);
    sent.end(content);
  });
  return withTimeout(answered, 'the answer');
}

const attacks: readonly (readonly [string, Pairs])[] = [
  [
    'a Forwarded of its own beside X-Forwarded-For',
    [
      ['forwarded', 'x'],
      ['x-forwarded-for', '127.0.0.2'],
    ],
  ],
  [
    'an empty Forwarded beside X-Forwarded-For',
    [
      ['forwarded', ''],
      ['x-forwarded-for', '127.0.0.2'],
    ],
  ],
  [
    'a Forwarded with another address',
    [
      ['forwarded', 'for=127.0.0.1'],
      ['x-forwarded-for', '127.0.0.2'],
    ],
  ],
  ['no address at all', []],
  ['a hidden address', [['forwarded', 'for=_hidden']]],
  ['a text that is no address', [['x-forwarded-for', 'unknown']]],
];

describe('a caller behind a trusted proxy that forwards', () => {
  it.each(attacks)('%s has no address that a rule allows [S23]', async (_what, headers) => {
    const { url, audit } = await serveBehindProxy();
    for (const name of ['near', 'not_far'])
      expect((await callTool(url, name, headers)).text).toContain(`Unknown tool: ${name}`);
    expect((await callTool(url, 'anyone', headers)).text).toContain('reached');
    expect(audit.events.map(({ who }) => who?.address)).not.toContain('127.0.0.1');
  });

  it('more headers than are read is refused with 431 [S23, S24]', async () => {
    const { url } = await serveBehindProxy();
    const forwarded: Pairs = [['x-forwarded-for', '127.0.0.2']];
    const filling = (count: number): Pairs => Array.from({ length: count }, (_, at) => [`a${at}`, '']);
    expect(await callTool(url, 'near', [...filling(1100), ...forwarded])).toMatchObject({
      status: 431,
      text: expect.stringContaining('more than 256 headers'),
    });
    expect((await callTool(url, 'anyone', [...filling(200), ...forwarded])).text).toContain('reached');
  });
});

describe('nginx with X-Forwarded-For', () => {
  const unlike: Pairs = [['Forwarded', 'x']];

  it('does not lend its address to a caller, whether it removes Forwarded or not [S23]', async (context) => {
    requires(context, missingPrograms(['nginx']));
    for (const [start, address] of [
      [startDocumented, '127.0.0.2'],
      [startPlain, undefined],
    ] as const) {
      const { port: node, audit } = await serveBehindProxy();
      const url = await startProxy(start, node);
      expect((await callTool(url, 'near', unlike, '127.0.0.2')).text).toContain('Unknown tool: near');
      expect((await callTool(url, 'anyone', unlike, '127.0.0.2')).text).toContain('reached');
      const starts = audit.events.filter(({ kind }) => kind === 'call-start');
      expect(starts.map(({ who }) => who?.address || undefined)).toEqual([address]);
    }
  });
});

type Start = (folder: string, port: number, node: number) => Promise<Program>;

async function startProxy(start: Start, node: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-nginx-'));
  const port = await freePort();
  const nginx = await start(folder, port, node);
  onTestFinished(async () => {
    await nginx.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}/mcp`;
}

const startDocumented: Start = (folder, port, node) => startNginx(folder, port, [node, node, node]);

/** Passes on every header that it does not set. */
const startPlain: Start = async (folder, port, node) => {
  await chmod(folder, 0o755);
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  writeFileSync(
    file,
    `error_log stderr notice;
pid nginx.pid;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location /mcp {
      proxy_pass http://127.0.0.1:${node};
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`,
  );
  const args = ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off;'];
  return startProgram('nginx', { args, ready: /start worker process / });
};
