/** Bytes on the pipes between a client and a server, recorded by a relay: one message on each line, and nothing else. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type ConnectOptions, connect, type ProtocolVersion, toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program } from '../../kit/process/node-script.ts';
import type { Json } from '../../kit/process/raw-process.ts';

/** Runs between client and server and records what each of them writes. */
const relay = `
  const { appendFileSync } = require('node:fs');
  const [log, server] = process.argv.slice(1);
  const child = require('node:child_process').spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.on('data', (chunk) => { appendFileSync(log + '.client', chunk); child.stdin.write(chunk); });
  process.stdin.on('end', () => child.stdin.end());
  child.stdout.on('data', (chunk) => { appendFileSync(log + '.server', chunk); process.stdout.write(chunk); });
`;

let folder = '';
let server = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-framing-'));
  server = await bundledProgram('plain-server');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines that both sides wrote, once the client is closed. */
async function recorded(name: string, options: ConnectOptions, use: (client: Client) => Promise<void>) {
  const log = join(folder, name);
  const client = await connect(program(relay, { args: [log, server] }), options);
  await use(client);
  await client.close();
  const linesOf = (side: string): string[] => {
    const text = readFileSync(`${log}.${side}`, 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    return text.slice(0, -1).split('\n');
  };
  return { fromClient: linesOf('client'), fromServer: linesOf('server') };
}

const methodsOf = (lines: readonly string[]): unknown[] => lines.map((line) => (JSON.parse(line) as Json).method);

const awkward = 'line\nbreak\r\nreturn\r tab\t sep\u2028\u2029 null\u0000 ☃ 🎉 lone \ud800 end';
const exchangeIds = 'e-stdio-01, e-stdio-05, e-stdio-06, e-transport-01';
const sessionIds = 's-base-46, s-stdio-02, s-stdio-06, s-stdio-07, s-stdio-08';
const idsOf = (revision: ProtocolVersion): string => {
  if (revision === '2026-07-28') return exchangeIds;
  return revision === '2024-11-05' ? `${sessionIds}, s-stdio-08@2024-11-05` : sessionIds;
};

for (const revision of protocolVersions) {
  it(`${revision}: each line is one message, whatever characters its texts contain [${idsOf(revision)}]`, async () => {
    const { fromClient, fromServer } = await recorded(revision, { protocolVersions: [revision] }, async (client) => {
      const answer = await client.tools.call('echo', { text: awkward });
      // A lone surrogate has no bytes in UTF-8; JSON writes it as an escape.
      expect(toText(answer)).toBe(awkward);
      await client.tools.list();
      await Promise.all(Array.from({ length: 20 }, (_, n) => client.tools.call('echo', { text: `${n}` })));
    });
    for (const line of [...fromClient, ...fromServer]) {
      expect(line).not.toContain('\r');
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(line.startsWith('{')).toBe(true);
    }
    expect(methodsOf(fromClient).filter((method) => method === 'tools/call')).toHaveLength(21);
  });
}

describe('the first message of a client', () => {
  it.each<[string, ConnectOptions, string]>([
    ['is server/discover by default [e-stdio-18, e-discover-02]', {}, 'server/discover'],
    [
      'is server/discover also if only 2026-07-28 is accepted [e-stdio-23, e-version-14]',
      { protocolVersions: ['2026-07-28'] },
      'server/discover',
    ],
    [
      'is initialize if only session versions are accepted',
      { protocolVersions: ['2025-11-25', '2025-06-18'] },
      'initialize',
    ],
  ])('%s', async (name, options, method) => {
    const { fromClient } = await recorded(name.replaceAll(/\W/g, ''), options, async () => {});
    expect(methodsOf(fromClient)[0]).toBe(method);
  });
});

it('an aborted call is cancelled by its id, and the server sends nothing more for it [e-stdio-10, e-stdio-12, e-cancel-05]', async () => {
  const { fromClient, fromServer } = await recorded(
    'cancelled',
    { protocolVersions: ['2026-07-28'] },
    async (client) => {
      const controller = new AbortController();
      const stuck = client.tools.call('stuck', {}, { signal: controller.signal });
      await client.tools.call('echo', { text: 'received' });
      controller.abort();
      await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
      await client.tools.call('echo', { text: 'still there' });
    },
  );
  const sent = fromClient.map((line) => JSON.parse(line) as Json);
  const { id } = sent.find(({ params }) => (params as Json | undefined)?.name === 'stuck') ?? {};
  expect(sent.filter(({ method }) => method === 'notifications/cancelled')).toMatchObject([
    { params: { requestId: id } },
  ]);
  expect(fromServer.map((line) => (JSON.parse(line) as Json).id)).not.toContain(id);
});
